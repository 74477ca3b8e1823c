// SPDX-License-Identifier: Apache-2.0
// What a person would write by hand, for the compiler to vectorise.

#ifndef SMP_BENCH_BASELINE_H
#define SMP_BENCH_BASELINE_H

/// y from x, [rows, columns], and two vectors of `columns`.
using Baseline = void(const float *x, const float *s, const float *b, float *y,
                      long rows, long columns);
Baseline baselineAdd, baselineAffine, baselineExp, baselineTanh, baselineGelu,
    baselineSilu, baselineSoftmax, baselineLayerNorm;
const char *baselineCompiler();

#endif // SMP_BENCH_BASELINE_H
