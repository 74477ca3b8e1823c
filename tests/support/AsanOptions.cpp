// SPDX-License-Identifier: Apache-2.0
// LLVM's and protobuf's libraries are not built with AddressSanitizer: they use
// memory that their headers, which are, have marked as free.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}
