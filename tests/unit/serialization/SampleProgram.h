// SPDX-License-Identifier: Apache-2.0
// A small program that uses every part of the format.

#ifndef SMP_TESTS_UNIT_SERIALIZATION_SAMPLEPROGRAM_H
#define SMP_TESTS_UNIT_SERIALIZATION_SAMPLEPROGRAM_H

#include "smp/serialization/Program.h"

namespace smp {

/// The program and the bytes that it borrows. Do not copy: the copy's spans
/// would refer to the original.
struct SampleProgram {
  SampleProgram();
  SampleProgram(const SampleProgram &) = delete;

  std::vector<std::byte> image, otherImage, ptx, cubin, constants, weights;
  Program program;
};

/// Gives the entry "predict" a twin, "predict.statistics", the last entry, that
/// shows statistics of `h` and the value of `y`: the sample is then of format
/// 1.6, and uses all of it.
void addTwin(Program &program);
/// Gives kernels signatures and work: the sample is then of format 1.9.
void addSignatures(Program &program);

/// Gives the stages of "predict" an order of their own: the sample is then of
/// format 1.7.
void addLags(Program &program);

/// Says how long the tensor takes that "predict" hands over: the sample is then
/// of format 1.8.
void addTransferSeconds(Program &program);

/// Takes out of the sample what is for GPUs, so that it is of format 1.4.
void dropCuda(Program &program);

/// The weights of the sample.
std::vector<std::byte> sampleWeights();

/// Bytes at an address that readProgram takes, in a block of just their size,
/// so that a sanitizer notices the first byte read beyond.
class AlignedBytes {
public:
  explicit AlignedBytes(std::span<const std::byte> bytes);
  ~AlignedBytes();
  AlignedBytes(const AlignedBytes &) = delete;

  std::span<std::byte> bytes() { return {data, size}; }
  operator std::span<const std::byte>() const { return {data, size}; }

private:
  std::byte *data;
  size_t size;
};

} // namespace smp

#endif // SMP_TESTS_UNIT_SERIALIZATION_SAMPLEPROGRAM_H
