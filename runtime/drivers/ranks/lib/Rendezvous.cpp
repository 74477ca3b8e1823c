// SPDX-License-Identifier: Apache-2.0
#include "Rendezvous.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace smp {

namespace {

class Meeting {
public:
  explicit Meeting(const SocketOptions &options)
      : options(options), deadline(deadlineAfter(options.deadlineSeconds)),
        connections(options.size) {}
  ~Meeting() {
    if (!madePath.empty())
      unlink(madePath.c_str());
  }

  Status meetAll();
  std::vector<Descriptor> take() { return std::move(connections); }

private:
  Status host();
  Status join();
  Status listenHere(const SocketAddress &address);
  Status acceptRanks(uint32_t first, std::vector<std::string> *addresses);
  Status admit(Descriptor connection, uint32_t first,
               std::vector<std::string> *addresses);
  std::string missing(uint32_t first) const;
  Status tooLate(uint32_t first) const;
  Status sendText(const Descriptor &to, const std::string &text);
  StatusOr<std::string> receiveText(const Descriptor &from, Deadline until);
  std::string hello(const std::string &address) const;

  static Status always() { return Status(); }

  const SocketOptions &options;
  Deadline deadline;
  std::vector<Descriptor> connections;
  Descriptor listener;
  std::string madePath; // Of a Unix listener, to be removed.
};

} // namespace

static std::vector<std::string> splitLines(const std::string &text) {
  std::vector<std::string> lines;
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos;
       start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

Status Meeting::sendText(const Descriptor &to, const std::string &text) {
  FrameHeader header;
  header.kind = FrameHeader::Kind::Hello;
  header.bytes = text.size();
  bool started = false;
  return sendFrame(to.get(), header, std::as_bytes(std::span(text)), deadline,
                   always, started);
}

StatusOr<std::string> Meeting::receiveText(const Descriptor &from,
                                           Deadline until) {
  constexpr uint64_t kMostText = 1 << 24;
  std::byte raw[FrameHeader::kBytes];
  SMP_RETURN_IF_ERROR(receiveBytes(from.get(), raw, until, always));
  FrameHeader header;
  if (!header.decode(raw) || header.kind != FrameHeader::Kind::Hello ||
      header.bytes > kMostText)
    return unavailable("the other side does not speak this version of smp");
  std::string text(header.bytes, '\0');
  SMP_RETURN_IF_ERROR(receiveBytes(
      from.get(), std::as_writable_bytes(std::span(text)), until, always));
  return text;
}

std::string Meeting::hello(const std::string &address) const {
  return std::to_string(options.rank) + "\n" + std::to_string(options.size) +
         "\n" + options.job + "\n" + address + "\n";
}

Status Meeting::listenHere(const SocketAddress &address) {
  StatusOr<Descriptor> made = listenOn(address);
  if (!made.ok())
    return made.status();
  listener = made.take();
  if (address.isUnix)
    madePath = address.host;
  return Status();
}

std::string Meeting::missing(uint32_t first) const {
  std::string list;
  for (uint32_t rank = first; rank < options.size; ++rank)
    if (!connections[rank].valid())
      list += (list.empty() ? "" : ", ") + std::to_string(rank);
  return list;
}

/// A connection that says nothing sensible is dropped: it may be a stranger.
/// One of this job that does not fit is an error.
Status Meeting::admit(Descriptor connection, uint32_t first,
                      std::vector<std::string> *addresses) {
  StatusOr<std::string> text = receiveText(connection, deadlineAfter(5));
  if (!text.ok())
    return Status();
  const std::vector<std::string> lines = splitLines(*text);
  if (lines.size() != 4 || lines[2] != options.job)
    return Status();
  const auto rank = uint32_t(std::strtoul(lines[0].c_str(), nullptr, 10));
  if (lines[1] != std::to_string(options.size))
    return invalidArgument("rank " + lines[0] + " says there are " + lines[1] +
                           " ranks, rank " + std::to_string(options.rank) +
                           " says " + std::to_string(options.size));
  if (rank < first || rank >= options.size || connections[rank].valid())
    return invalidArgument("rank " + lines[0] + " of " + lines[1] +
                           " came twice or does not belong here; give each "
                           "process a rank of its own");
  if (addresses)
    (*addresses)[rank] = lines[3];
  connections[rank] = std::move(connection);
  return Status();
}

Status Meeting::tooLate(uint32_t first) const {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", options.deadlineSeconds);
  return Status(StatusCode::DeadlineExceeded,
                "rank " + std::to_string(options.rank) + " of " +
                    std::to_string(options.size) + " waited " + seconds +
                    " seconds at " + options.address + " for rank " +
                    missing(first));
}

Status Meeting::acceptRanks(uint32_t first,
                            std::vector<std::string> *addresses) {
  while (!missing(first).empty()) {
    StatusOr<Descriptor> connection = acceptFrom(listener, deadline);
    if (!connection.ok())
      return tooLate(first);
    SMP_RETURN_IF_ERROR(admit(connection.take(), first, addresses));
  }
  return Status();
}

Status Meeting::host() {
  StatusOr<SocketAddress> address = SocketAddress::parse(options.address);
  if (!address.ok())
    return address.status();
  SMP_RETURN_IF_ERROR(listenHere(*address));
  std::vector<std::string> addresses(options.size);
  SMP_RETURN_IF_ERROR(acceptRanks(1, &addresses));
  std::string table;
  for (const std::string &one : addresses)
    table += one + "\n";
  for (uint32_t rank = 1; rank < options.size; ++rank)
    SMP_RETURN_IF_ERROR(sendText(connections[rank], table));
  return Status();
}

Status Meeting::join() {
  StatusOr<SocketAddress> address = SocketAddress::parse(options.address);
  if (!address.ok())
    return address.status();
  StatusOr<Descriptor> home = connectTo(*address, deadline);
  if (!home.ok())
    return home.status();
  SocketAddress mine = *address;
  if (mine.isUnix)
    mine.host += "." + std::to_string(options.rank);
  else
    mine.host = "0.0.0.0", mine.port = "0";
  SMP_RETURN_IF_ERROR(listenHere(mine));
  if (!mine.isUnix) {
    StatusOr<SocketAddress> reachable = reachableAddress(listener, *home);
    if (!reachable.ok())
      return reachable.status();
    mine = *reachable;
  }
  SMP_RETURN_IF_ERROR(sendText(*home, hello(mine.text())));
  StatusOr<std::string> table = receiveText(*home, deadline);
  if (!table.ok())
    return table.status().in("rank " + std::to_string(options.rank) +
                             " waited for rank 0 to have met all ranks");
  connections[0] = home.take();
  const std::vector<std::string> addresses = splitLines(*table);
  for (uint32_t rank = 1; rank < options.rank; ++rank) {
    StatusOr<SocketAddress> other = SocketAddress::parse(
        rank < addresses.size() ? addresses[rank] : std::string());
    if (!other.ok())
      return other.status();
    StatusOr<Descriptor> connection = connectTo(*other, deadline);
    if (!connection.ok())
      return connection.status();
    SMP_RETURN_IF_ERROR(sendText(*connection, hello("")));
    connections[rank] = connection.take();
  }
  return acceptRanks(options.rank + 1, nullptr);
}

Status Meeting::meetAll() {
  if (options.size == 0 || options.rank >= options.size)
    return invalidArgument("rank " + std::to_string(options.rank) + " of " +
                           std::to_string(options.size) +
                           " does not exist; ranks are 0 to size - 1");
  if (options.job.find('\n') != std::string::npos)
    return invalidArgument("the job's name has a newline in it");
  if (options.size == 1)
    return Status();
  return options.rank == 0 ? host() : join();
}

StatusOr<std::vector<Descriptor>> meet(const SocketOptions &options) {
  Meeting meeting(options);
  SMP_RETURN_IF_ERROR(meeting.meetAll());
  return meeting.take();
}

} // namespace smp
