#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Sockets whose addresses and options the C library's module does not show to Swift. What goes through them is made and read in Swift.

// A packet socket that receives the first packets of connections from the IP header on, of IPv4 and IPv6, on every interface: each SYN without
// ACK of TCP, and each Initial packet of QUIC (versions 1 and 2, and drafts). The filter is there before the socket receives anything. The
// descriptor, or -1.
static inline int owners_open_packet_socket(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
      BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 26),
      // IPv4: no fragment but a first one. X is the length of the header, A the protocol.
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 24, 0),
      BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
      BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0),
      // IPv6.
      BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 40),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 3),
      // TCP: flags.
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 16, 15),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 14),
      // UDP: the long form of a packet of QUIC, whose version says how Initial is written (RFC 9000 17.2, RFC 9369 3.2).
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 8),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xc0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc0, 0, 11),
      BPF_STMT(BPF_LD | BPF_W | BPF_IND, 9),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6b3343cf, 2, 0),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffffff00),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xff000000, 3, 6),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 8),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x30),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x10, 4, 3),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 8),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x30),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 128),
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  struct sockaddr_ll address;
  int descriptor = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  memset(&address, 0, sizeof address);
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0 ||
      bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

// Receives the start of a packet, if there is one; `kind` becomes PACKET_OUTGOING (4) for one that this machine sent, PACKET_HOST (0) for one that is for it.
static inline long owners_receive(int descriptor, void *octets, size_t count, int *kind) {
  struct sockaddr_ll address;
  socklen_t length = sizeof address;
  long received = recvfrom(descriptor, octets, count, MSG_DONTWAIT, (struct sockaddr *)&address, &length);
  *kind = received < 0 ? -1 : address.sll_pkttype;
  return received;
}

// A socket that the kernel answers questions about sockets on (sock_diag(7)). The descriptor, or -1.
static inline int owners_open_diagnostics(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG); }
