// SPDX-License-Identifier: Apache-2.0
// Outputs that are no files: written to as they are, and still there.
#include "FileHelpers.h"
#include "smp/base/AtomicFile.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <termios.h>
#include <thread>

using namespace smp;
using namespace smp::test;

/// More than a pipe holds.
static std::string longText() { return std::string(1 << 18, 'x'); }

/// Everything that comes until the other end is closed.
static std::string readAll(int from) {
  std::string all(1 << 16, '\0'), result;
  for (ssize_t got; (got = read(from, all.data(), all.size())) > 0;)
    result += all.substr(0, size_t(got));
  close(from);
  return result;
}

//===----------------------------------------------------------------------===//
// Fifos
//===----------------------------------------------------------------------===//

namespace {

struct Fifo : testing::Test {
  Fifo() : path(folder.file("fifo")) { mkfifo(path.c_str(), 0600); }
  ~Fifo() override {
    EXPECT_TRUE(S_ISFIFO(statusOf(path).st_mode));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"fifo"});
  }

  TemporaryFolder folder;
  const std::string path;
};

} // namespace

TEST_F(Fifo, ItsReaderGetsEverything) {
  std::string got;
  std::thread reader([&] { got = readAll(open(path.c_str(), O_RDONLY)); });
  EXPECT_TRUE(writeFile(path, longText()).ok());
  reader.join();
  EXPECT_EQ(got, longText());
}

TEST_F(Fifo, AMissingReaderIsTold) {
  const Status status = AtomicFile::create(path, /*peerSeconds=*/0).status();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(status.message(),
            "cannot write '" + path +
                "': after 0 seconds nobody reads this fifo; start the reader "
                "first, or name a file");
}

TEST_F(Fifo, AReaderThatLeavesIsAnErrorAndNoSignal) {
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  StatusOr<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  close(reader);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(file->write(bytesOf("text")).message(),
              "cannot write '" + path + "': Broken pipe");
}

TEST_F(Fifo, NothingLiesBesideIt) {
  EXPECT_EQ(pathBeside(path, "w.safetensors").status().message(),
            "'w.safetensors' would have to lie beside '" + path +
                "', which is no file; name a file");
}

//===----------------------------------------------------------------------===//
// Sockets
//===----------------------------------------------------------------------===//

namespace {

struct Socket : testing::Test {
  Socket() : path(folder.file("socket")) {}
  ~Socket() override {
    EXPECT_TRUE(S_ISSOCK(statusOf(path).st_mode));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"socket"});
  }

  int bindTo(int type) const {
    const int made = socket(AF_UNIX, type, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr *>(&address),
                   sizeof(address)),
              0);
    return made;
  }

  TemporaryFolder folder;
  const std::string path;
};

} // namespace

TEST_F(Socket, ItsListenerGetsEverything) {
  const int listener = bindTo(SOCK_STREAM);
  ASSERT_EQ(listen(listener, 1), 0);
  std::string got;
  std::thread reader(
      [&] { got = readAll(accept(listener, nullptr, nullptr)); });
  EXPECT_TRUE(writeFile(path, longText()).ok());
  reader.join();
  close(listener);
  EXPECT_EQ(got, longText());
}

TEST_F(Socket, AMissingListenerIsTold) {
  close(bindTo(SOCK_STREAM));
  EXPECT_EQ(writeFile(path, longText()).message(),
            "cannot write '" + path + "': Connection refused");
}

TEST_F(Socket, AListenerThatAcceptsNobodyIsTold) {
  const int listener = bindTo(SOCK_STREAM);
  ASSERT_EQ(listen(listener, 0), 0);
  StatusOr<AtomicFile> first = AtomicFile::create(path);
  ASSERT_TRUE(first.ok()) << first.status().message();
  const Status status = AtomicFile::create(path, /*peerSeconds=*/0).status();
  close(listener);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("nobody takes what this socket gets"),
            std::string::npos)
      << status.message();
}

TEST_F(Socket, OneForMessagesIsTold) {
  const int receiver = bindTo(SOCK_DGRAM);
  EXPECT_EQ(writeFile(path, longText()).message(),
            "cannot write '" + path + "': Protocol wrong type for socket");
  close(receiver);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// In a folder of the kernel's, where nothing can be replaced.
TEST(Device, ATerminalIsWrittenTo) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    GTEST_SKIP() << "needs a pseudo terminal: " << strerror(errno);
  const std::string path = ptsname(terminal);
  const int held = open(path.c_str(), O_RDWR | O_NOCTTY);
  EXPECT_EQ(writeFile(path, "text").message(), "");
  char got[5] = {};
  EXPECT_EQ(read(terminal, got, 4), 4);
  EXPECT_STREQ(got, "text");
  close(held);
  close(terminal);
}

/// Makes the kernel's memory device of that number; false: not here.
static bool makeDevice(const std::string &path, unsigned number) {
  if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, number)) != 0)
    return false;
  const int opened = open(path.c_str(), O_WRONLY);
  if (opened < 0)
    return false;
  close(opened);
  return true;
}

TEST(Device, NullStaysNull) {
  TemporaryFolder folder;
  if (!makeDevice(folder.file("null"), 3))
    GTEST_SKIP() << "needs to make a device (CAP_MKNOD): " << strerror(errno);
  EXPECT_EQ(writeFile(folder.file("null"), longText()).message(), "");
  EXPECT_TRUE(S_ISCHR(statusOf(folder.file("null")).st_mode));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"null"});
}

TEST(Device, AFullOneIsTold) {
  TemporaryFolder folder;
  const std::string path = folder.file("full");
  if (!makeDevice(path, 7))
    GTEST_SKIP() << "needs to make a device (CAP_MKNOD): " << strerror(errno);
  const Status status = writeFile(path, longText());
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.message(),
            "cannot write '" + path + "': No space left on device");
  EXPECT_TRUE(S_ISCHR(statusOf(path).st_mode));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"full"});
}
