// SPDX-License-Identifier: Apache-2.0
// How things that are no files are opened for writing.

#ifndef SMP_BASE_LIB_SPECIALFILE_H
#define SMP_BASE_LIB_SPECIALFILE_H

#include <string>

namespace smp {

/// A descriptor, or what errno said. ETIMEDOUT: nobody is at the other end.
struct OpenedFile {
  int descriptor = -1;
  int error = 0;
};

/// A device, or what another process has open.
OpenedFile openDevice(const std::string &path);
/// Waits until somebody has opened the fifo for reading.
OpenedFile openFifo(const std::string &path, double seconds);
/// Connects to a stream socket of the file system.
OpenedFile connectSocket(const std::string &path, double seconds);

} // namespace smp

#endif // SMP_BASE_LIB_SPECIALFILE_H
