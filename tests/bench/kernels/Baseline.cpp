// SPDX-License-Identifier: Apache-2.0
#include "Baseline.h"
#include <algorithm>
#include <cmath>

#define SMP_TEXT_(x) #x
#define SMP_TEXT(x) SMP_TEXT_(x)
const char *baselineCompiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " SMP_TEXT(__GNUC__) "." SMP_TEXT(__GNUC_MINOR__);
#endif
}

void baselineAdd(const float *x, const float *, const float *,
                 float *__restrict y, long rows, long columns) {
  for (long i = 0; i < rows * columns; ++i)
    y[i] = x[i] + x[i];
}

void baselineAffine(const float *x, const float *s, const float *b,
                    float *__restrict y, long rows, long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c)
      y[r * columns + c] = std::max(x[r * columns + c] * s[c] + b[c], 0.0f);
}

void baselineExp(const float *x, const float *, const float *,
                 float *__restrict y, long rows, long columns) {
  for (long i = 0; i < rows * columns; ++i)
    y[i] = expf(x[i]);
}

void baselineTanh(const float *x, const float *, const float *,
                  float *__restrict y, long rows, long columns) {
  for (long i = 0; i < rows * columns; ++i)
    y[i] = tanhf(x[i]);
}

void baselineGelu(const float *x, const float *, const float *b,
                  float *__restrict y, long rows, long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c) {
      float v = x[r * columns + c] + b[c];
      y[r * columns + c] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

void baselineSilu(const float *x, const float *, const float *,
                  float *__restrict y, long rows, long columns) {
  for (long i = 0; i < rows * columns; ++i)
    y[i] = x[i] / (1.0f + expf(-x[i]));
}

void baselineSoftmax(const float *x, const float *, const float *,
                     float *__restrict y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float greatest = x[0], sum = 0;
    for (long c = 1; c < columns; ++c)
      greatest = std::max(greatest, x[c]);
    for (long c = 0; c < columns; ++c)
      y[c] = expf(x[c] - greatest);
    for (long c = 0; c < columns; ++c)
      sum += y[c];
    for (long c = 0; c < columns; ++c)
      y[c] *= 1.0f / sum;
  }
}

void baselineLayerNorm(const float *x, const float *s, const float *b,
                       float *__restrict y, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    float sum = 0, squares = 0;
    for (long c = 0; c < columns; ++c)
      sum += x[c];
    float mean = sum / float(columns);
    for (long c = 0; c < columns; ++c)
      squares += (x[c] - mean) * (x[c] - mean);
    float inverse = 1.0f / sqrtf(squares / float(columns) + 1e-5f);
    for (long c = 0; c < columns; ++c)
      y[c] = (x[c] - mean) * inverse * s[c] + b[c];
  }
}
