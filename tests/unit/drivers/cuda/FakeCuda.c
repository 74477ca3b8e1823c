/* SPDX-License-Identifier: Apache-2.0
 * A library of libcuda's names on a machine where smp cannot run: compiled once
 * for each reason, FAKE_INIT, FAKE_VERSION, FAKE_CAPABILITY, FAKE_OLD. */
#include <stdint.h>
#include <string.h>

#ifndef FAKE_INIT
#define FAKE_INIT 0
#endif
#ifndef FAKE_VERSION
#define FAKE_VERSION 12000
#endif
#ifndef FAKE_CAPABILITY
#define FAKE_CAPABILITY 80
#endif
#define EXPORT __attribute__((visibility("default")))

static int init(unsigned flags) { return FAKE_INIT; }
static int version(int *number) {
  *number = FAKE_VERSION;
  return 0;
}
static int count(int *devices) {
  *devices = 2;
  return 0;
}
static int device(int *number, int ordinal) {
  *number = ordinal;
  return 0;
}
static int name(char *text, int bytes, int number) {
  strncpy(text, "Fake", (size_t)bytes);
  return 0;
}
static int attribute(int *value, int which, int number) {
  *value = which == 75 ? FAKE_CAPABILITY / 10 : FAKE_CAPABILITY % 10;
  return 0;
}
static int text(int error, const char **string) {
  *string = error == 3 ? "CUDA_ERROR_NOT_INITIALIZED" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
static const struct {
  const char *name;
  void *function;
} kFunctions[] = {
    {"cuInit", (void *)init},
    {"cuDriverGetVersion", (void *)version},
    {"cuDeviceGetCount", (void *)count},
    {"cuDeviceGet", (void *)device},
    {"cuDeviceGetName", (void *)name},
    {"cuDeviceGetAttribute", (void *)attribute},
    {"cuGetErrorName", (void *)text},
    {"cuGetErrorString", (void *)text},
};

#ifndef FAKE_OLD
/* Everything else: CUDA_ERROR_NOT_INITIALIZED. */
static int refuse(void) { return 3; }

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int wanted,
                               uint64_t flags, int *status) {
  *function = (void *)refuse;
  for (size_t i = 0; i < sizeof kFunctions / sizeof *kFunctions; ++i)
    if (strcmp(symbol, kFunctions[i].name) == 0)
      *function = kFunctions[i].function;
  return 0;
}
#else
EXPORT const void *cuGetProcAddress(void) { return kFunctions; }
#endif
