// SPDX-License-Identifier: Apache-2.0
// Reading what others may be changing.

#ifndef SMP_BASE_LIB_TORNREADS_H
#define SMP_BASE_LIB_TORNREADS_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SMP_HAS_THREAD_SANITIZER
#endif
#endif

#ifdef SMP_HAS_THREAD_SANITIZER
extern "C" void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char *file, int line);
#endif

namespace smp {

/// While it lives, what its thread has the system read may change meanwhile:
/// who reads it asks afterwards whether it did, and then does it again.
class TornReads {
public:
  TornReads() {
#ifdef SMP_HAS_THREAD_SANITIZER
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#endif
  }
  ~TornReads() {
#ifdef SMP_HAS_THREAD_SANITIZER
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  }
  TornReads(const TornReads &) = delete;
  TornReads &operator=(const TornReads &) = delete;
};

} // namespace smp

#endif // SMP_BASE_LIB_TORNREADS_H
