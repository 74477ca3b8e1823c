// SPDX-License-Identifier: Apache-2.0
// What a disk does without us: files written and read by system calls alone.

#ifndef SMP_BENCH_PLAINDISK_H
#define SMP_BENCH_PLAINDISK_H

#include <cstdint>
#include <string>
#include <vector>

namespace smp::bench {

enum class Way { Direct, Buffered };

/// Seconds to make a file of that many bytes, a multiple of 8 MiB, in blocks of
/// 8 MiB one after the other, and to sync it. The file is gone afterwards.
double plainWrite(const std::string &path, uint64_t bytes, Way way);
/// Seconds to read files in blocks of 8 MiB, none of which is in memory.
double plainRead(const std::vector<std::string> &paths, Way way);
/// Puts files out of the page cache.
void forgetFiles(const std::vector<std::string> &paths);
/// The regular files of a folder, and their bytes.
std::vector<std::string> filesIn(const std::string &folder);
uint64_t bytesOf(const std::vector<std::string> &paths);

/// Resets what peakBytes() gives.
void forgetPeak();
/// The most memory that this process has had at a time; files that are mapped
/// count.
uint64_t peakBytes();
uint64_t currentBytes();

double now();
template <typename Work>
double secondsOf(const Work &work) {
  const double start = now();
  work();
  return now() - start;
}
double medianOf(std::vector<double> values);
/// Ends the process when it is false.
void require(bool isGood, const std::string &what);

} // namespace smp::bench

#endif // SMP_BENCH_PLAINDISK_H
