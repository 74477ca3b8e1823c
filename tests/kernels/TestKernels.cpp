// SPDX-License-Identifier: Apache-2.0
#include "TestKernels.h"

#define EMBED(name, path)                                                      \
  asm(".pushsection .rodata\n"                                                 \
      ".balign 16\n" #name "Begin: .incbin \"" path "\"\n" #name "End:\n"      \
      ".popsection\n");                                                        \
  extern "C" const std::byte name##Begin[], name##End[]

EMBED(smpTestKernelsElf, SMP_IMAGE);
EMBED(smpTestKernelsPtx, SMP_PTX);

std::span<const std::byte> smp::test::testKernelsElf() {
  return {smpTestKernelsElfBegin, smpTestKernelsElfEnd};
}

std::span<const std::byte> smp::test::testKernelsPtx() {
  return {smpTestKernelsPtxBegin, smpTestKernelsPtxEnd};
}
