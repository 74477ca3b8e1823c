// SPDX-License-Identifier: Apache-2.0
// Made by utils/derive-polynomials.py: coefficients, lowest power first.

#ifndef SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H
#define SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H

namespace smp::codegen::polynomial {

/// exp(r) for |r| <= ln 2. Error 2.0e-8.
inline constexpr double kExpF32[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0, 0x1.00000c0000000p-1,
    0x1.5555140000000p-3,  0x1.5549de0000000p-5, 0x1.1126440000000p-7,
    0x1.71c4300000000p-10, 0x1.9c131a0000000p-13};

/// exp(r) for |r| <= ln 2. Error 1.4e-17.
inline constexpr double kExpF64[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.ffffffffffff3p-2,
    0x1.55555555555b8p-3,  0x1.555555555695ap-5,  0x1.1111111108057p-7,
    0x1.6c16c169be45dp-10, 0x1.a01a01b26d5e8p-13, 0x1.a01a05849d802p-16,
    0x1.71de29db0f775p-19, 0x1.27e1c86726ee1p-22, 0x1.ae7148e151586p-26,
    0x1.217b4b8b3a831p-29, 0x1.5e6999376dc54p-33};

/// (expm1(r) - r) / r^2 for |r| <= ln 2 / 2. Error 1.4e-8.
inline constexpr double kExpm1F32[] = {
    0x1.0000000000000p-1, 0x1.5554b00000000p-3, 0x1.5554f00000000p-5,
    0x1.1227c80000000p-7, 0x1.6d44100000000p-10};

/// (expm1(r) - r) / r^2 for |r| <= ln 2 / 2. Error 1.9e-17.
inline constexpr double kExpm1F64[] = {
    0x1.0000000000005p-1,  0x1.555555555555cp-3,  0x1.55555555520e9p-5,
    0x1.111111110e827p-7,  0x1.6c16c17f3ab49p-10, 0x1.a01a01b54e8d8p-13,
    0x1.a019a673fc4e1p-16, 0x1.71ddeb661b191p-19, 0x1.28a2c78570b7ap-22,
    0x1.af744c6b27b00p-26};

/// (tanh(x) / x - 1) / x^2 in x^2, |x| <= 0.35. Error 5.5e-10.
inline constexpr double kTanhF32[] = {
    -0x1.55554e0000000p-2, 0x1.110c380000000p-3, -0x1.b828d20000000p-5,
    0x1.3eb6320000000p-6};

/// ln 2: 15 bits, and the rest.
inline constexpr double kLn2F32[] = {0x1.62e4000000000p-1,
                                     0x1.7f7d1c0000000p-20};

/// ln 2: 41 bits, and the rest.
inline constexpr double kLn2F64[] = {0x1.62e42fefa3000p-1,
                                     0x1.3de6af278ece6p-42};

/// (log(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) <= 1 + f <= sqrt(2).
/// Error 8.9e-10.
inline constexpr double kLogF32[] = {
    0x1.5555460000000p-2,  -0x1.ffffee0000000p-3, 0x1.99a5440000000p-3,
    -0x1.5562ea0000000p-3, 0x1.2332da0000000p-3,  -0x1.fb41a00000000p-4,
    0x1.e64dc60000000p-4,  -0x1.e2f42a0000000p-4, 0x1.1b55060000000p-4};

/// (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2, |s| <= 3 - 2 sqrt(2).
/// Error 3.3e-16.
inline constexpr double kLogF64[] = {0x1.5555555555558p-1, 0x1.999999999524cp-2,
                                     0x1.2492492e097fbp-2, 0x1.c71c62c3606b3p-3,
                                     0x1.7462beb8c21b6p-3, 0x1.39fd0e2d05ae3p-3,
                                     0x1.2b68b0de6058ap-3};

/// log(erfc(t)) / t + 1 for 0 <= t <= 3.93. Error 5.1e-9.
inline constexpr double kErfF32[] = {
    -0x1.06eba80000000p-3, -0x1.45f3000000000p-1,  -0x1.a4f8c60000000p-4,
    0x1.39b84c0000000p-6,  0x1.6295420000000p-13,  -0x1.b717ec0000000p-10,
    0x1.4de4920000000p-11, -0x1.f1c7000000000p-14, 0x1.3a3e1c0000000p-17};

/// erf(x) / x - 1 in x^2, |x| <= 1. Error 1.9e-17.
inline constexpr double kErfNearF64[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b037a25p-2,  0x1.ce2f21a045995p-4,
    -0x1.b82ce3135be1ep-6,  0x1.565bcd2df8844p-8,   -0x1.c02db99108b7fp-11,
    0x1.f9a3c62d33299p-14,  -0x1.f4de0d1ca877dp-17, 0x1.ba78f10b56c64p-20,
    -0x1.6423a1e99553cp-23, 0x1.1671f421c9b34p-26,  -0x1.da83625f5615cp-30,
    0x1.5aa3876688583p-33};

/// log(erfc(t)) / t for 1 <= t <= 5.95. Error 6.0e-17.
inline constexpr double kErfFarF64[] = {
    -0x1.20dd6feed1e49p+0,  -0x1.45f364f1aedb0p-1,  -0x1.a4e85f1495dc2p-4,
    0x1.38e518ba00523p-6,   0x1.13bbe80dfada6p-12,  -0x1.cde4eeb294179p-10,
    0x1.52dcd3d85ceaap-11,  -0x1.d8c2735c4fa66p-15, -0x1.f36ed4865e235p-15,
    0x1.4108760e3213ep-15,  -0x1.c29e229e4449ep-17, 0x1.b72da1d309960p-19,
    -0x1.36c0707d15d1dp-21, 0x1.3c33bacf3e98ap-24,  -0x1.b8f07f9c8216ep-28,
    0x1.7a374438ebd63p-32,  -0x1.2d473f947c998p-37};

/// (sin(r) / r - 1) / r^2 in r^2, |r| <= pi / 4. Error 3.6e-9.
inline constexpr double kSinF32[] = {
    -0x1.555545738cdd7p-3, 0x1.110753cef39dcp-7, -0x1.994adc9f875a0p-13};

/// (sin(r) / r - 1) / r^2 in r^2, |r| <= pi / 4. Error 3.5e-18.
inline constexpr double kSinF64[] = {
    -0x1.5555555555549p-3, 0x1.111111110f896p-7,   -0x1.a01a019c13176p-13,
    0x1.71de3577f9f8dp-19, -0x1.ae5e65e6e2683p-26, 0x1.5d92ccc789e0ap-33};

/// (cos(r) - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi / 4. Error 9.7e-11.
inline constexpr double kCosF32[] = {
    0x1.55554ab30443bp-5, -0x1.6c0c89cae1252p-10, 0x1.9a018106fac9ep-16};

/// (cos(r) - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi / 4. Error 5.9e-20.
inline constexpr double kCosF64[] = {
    0x1.555555555554cp-5,   -0x1.6c16c16c1521bp-10, 0x1.a01a019cbeaa7p-16,
    -0x1.27e4f811fec66p-22, 0x1.1ee9f0bcff95ap-29,  -0x1.8fb0dbfbeedc3p-37};

/// pi / 2: four parts of 26 bits, and the rest.
inline constexpr double kHalfPiF64[] = {
    0x1.921fb50000000p+0, 0x1.110b460000000p-26, 0x1.1a62630000000p-54,
    0x1.8a2e030000000p-81, 0x1.c1cd129024e09p-107};

/// 1 / (2 pi) in parts of 29 bits.
inline constexpr double kInverseTwoPi[] = {
    0x1.45f306d000000p-3,  0x1.9391054000000p-32,  0x1.4fe13ab000000p-61,
    0x1.d1f534d000000p-90, 0x1.b81b6c5000000p-119, 0x1.5993c43000000p-150,
    0x1.2083fca2c757cp-179};

/// (atan(x) / x - 1) / x^2 in x^2, |x| <= tan(pi / 8). Error 3.3e-17.
inline constexpr double kAtanF64[] = {
    -0x1.5555555555555p-2, 0x1.999999999944bp-3,  -0x1.249249243f2b3p-3,
    0x1.c71c7189ba85ap-4,  -0x1.745d0bc10fecdp-4, 0x1.3b126ef48a1d9p-4,
    -0x1.10fb0ba48bab3p-4, 0x1.dfef40f742e95p-5,  -0x1.a0c3f694bcb29p-5,
    0x1.41d21dafac3cap-5,  -0x1.3b2ba91b563dep-6};

/// (asin(x) / x - 1) / x^2 in x^2, |x| <= 1 / 2. Error 2.7e-16.
inline constexpr double kAsinF64[] = {
    0x1.555555555554ep-3, 0x1.333333333745cp-4,  0x1.6db6db67c4204p-5,
    0x1.f1c71fd7310cap-6, 0x1.6e8b22fb6ff8fp-6,  0x1.1c59d64854050p-6,
    0x1.c8646da36b72fp-7, 0x1.858b351186e4bp-7,  0x1.fb76016e33811p-8,
    0x1.09a4c2c329523p-6, -0x1.6a10efd8c5145p-7, 0x1.d11c33f4227edp-6};

/// (log((1 + s) / (1 - s)) / s - 2 - 2/3 s^2) / s^4 in s^2, |s| <= 3 - 2
/// sqrt(2). Error 3.0e-16.
inline constexpr double kPowLogF64[] = {
    0x1.999999999999fp-2, 0x1.249249248e252p-2, 0x1.c71c71d86141bp-3,
    0x1.745d09af5b7b7p-3, 0x1.3b18c966d0e23p-3, 0x1.1016b7d28e581p-3,
    0x1.088f45a8ff68cp-3};

/// 2 / 3 in two parts.
inline constexpr double kTwoThirds[] = {0x1.5555555555555p-1,
                                        0x1.5555555555555p-55};

} // namespace smp::codegen::polynomial

#endif // SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H
