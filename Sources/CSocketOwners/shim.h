#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Sockets whose addresses and options the C library's module does not show to Swift. What goes through them is made and read in Swift.

// A packet socket that receives the first packet of each TCP connection (SYN without ACK), of IPv4 and IPv6, from the IP header on, on every
// interface. The filter is there before the socket receives anything. The descriptor, or -1.
static inline int owners_open_syn_socket(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
      BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 8, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 12),
      // IPv4: TCP, no fragment but a first one, flags behind the header.
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 10),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 8, 0),
      BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
      BPF_JUMP(BPF_JMP | BPF_JA, 3, 0, 0),
      // IPv6: TCP behind the header.
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 6),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 3),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 53),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 1, 0),
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
