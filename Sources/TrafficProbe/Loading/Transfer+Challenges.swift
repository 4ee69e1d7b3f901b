import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transfer {
  /// Passes a challenge to the app, which answers it.
  ///
  /// On Linux the client answers it by another load of the request by itself. So this transfer ends with the 401 that it has
  /// recorded, and the second attempt is not seen.
  func didReceive(
    _ challenge: URLAuthenticationChallenge,
    answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    giveHeld()
    #if canImport(FoundationNetworking)
      isSettled = true
      client.didReceive(challenge)
      answer(.cancelAuthenticationChallenge, nil)
    #else
      client.didReceive(
        URLAuthenticationChallenge(authenticationChallenge: challenge, sender: ChallengeAnswer(answer)))
    #endif
  }
}

#if !canImport(FoundationNetworking)
  /// Passes the app's answer to a challenge back to the probe's session. `answer` may be called once; later calls have no effect.
  final class ChallengeAnswer: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let answer: Locked<(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?>

    init(_ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {
      self.answer = Locked(answer)
    }

    private func give(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
      let answer = self.answer.withLock { answer in
        defer { answer = nil }
        return answer
      }
      answer?(disposition, credential)
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
      give(.useCredential, credential)
    }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { give(.useCredential) }
    func cancel(_ challenge: URLAuthenticationChallenge) { give(.cancelAuthenticationChallenge) }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { give(.performDefaultHandling) }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { give(.rejectProtectionSpace) }
  }
#endif
