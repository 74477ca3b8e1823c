// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on nothing but where they are used.
//
// Philox4x32-10: ten rounds over four 32-bit words of counter and two of key.
//   key     = { low 32 bits of the seed, high 32 bits of the seed }
//   counter = { element / 4, microbatch, step, site }
// Word element % 4 of the result belongs to the element. Initial values of
// variables use microbatch = step = site = 0.
//
// From words to floats, all in double and without fused operations:
//   uniform in [a, b):  a + (b - a) * (word / 2^32)
//   normal:             words w0, w1 give two values, w2, w3 the next two:
//                       r = sqrt(-2 ln((w0 + 1) / 2^32))
//                       mean + deviation * r * cos(2 pi w1 / 2^32)   (even)
//                       mean + deviation * r * sin(2 pi w1 / 2^32)   (odd)
// then one rounding to the element type. A uniform value that rounds to b
// becomes the largest value below b. ln, sin and cos are this library's own, so
// that every machine makes the same bits.

#ifndef SMP_MODEL_PHILOX_H
#define SMP_MODEL_PHILOX_H

#include "smp/model/DType.h"
#include <array>
#include <span>

namespace smp {

using PhiloxWords = std::array<uint32_t, 4>;

/// One block of random words.
PhiloxWords philox(PhiloxWords counter, uint64_t seed);

/// The two doubles, of mean 0 and deviation 1, that two words give.
std::array<double, 2> normalPair(uint32_t first, uint32_t second);

/// Fills `bytes` with elements of a float type. Uniform in [a, b), or normal of
/// mean a and standard deviation b. At most 2^34 elements.
void fillUniform(std::span<std::byte> bytes, DType type, double a, double b,
                 uint64_t seed);
void fillNormal(std::span<std::byte> bytes, DType type, double mean,
                double deviation, uint64_t seed);
/// Fills `bytes` with `value`, rounded to `type` (integers: towards zero, the
/// nearest there is; bool: whether it is not 0).
void fillSplat(std::span<std::byte> bytes, DType type, double value);

} // namespace smp

#endif // SMP_MODEL_PHILOX_H
