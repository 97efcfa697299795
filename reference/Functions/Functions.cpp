#include "reference/Functions/Functions.h"

#include "reference/Functions/Kernels.h"
#include "reference/Simd/Level.h"

namespace tilerig::reference {

#define TILERIG_LEVEL(name)                                                                                  \
  namespace name {                                                                                           \
  const FunctionKernels &functionKernels();                                                                  \
  }
TILERIG_LEVEL(baseline)
TILERIG_LEVEL(avx2)
TILERIG_LEVEL(avx512)
#undef TILERIG_LEVEL

static const FunctionKernels &kernels() {
  static const FunctionKernels &chosen =
      forLevel(baseline::functionKernels, avx2::functionKernels, avx512::functionKernels)();
  return chosen;
}

void apply(const FunctionCall &call, const float *x, float *y, int64_t size) {
  kernels().apply(call, x, y, size);
}
void raise(const float *x, int64_t xStep, const float *y, int64_t yStep, float *z, int64_t size) {
  kernels().raise(x, xStep, y, yStep, z, size);
}
void softmaxRows(float *rows, int64_t count, int64_t size) { kernels().softmaxRows(rows, count, size); }
void logSoftmaxRows(float *rows, int64_t count, int64_t size) { kernels().logSoftmaxRows(rows, count, size); }
void logSumExpRows(const float *rows, int64_t count, int64_t size, float *results) {
  kernels().logSumExpRows(rows, count, size, results);
}
void normaliseRows(const RowNormalisation &how, const float *x, float *y, int64_t count, float *means,
                   float *inverses) {
  kernels().normaliseRows(how, x, y, count, means, inverses);
}
void normaliseRun(const float *x, int64_t size, float mean, float factor, float bias, float *y) {
  kernels().normaliseRun(x, size, mean, factor, bias, y);
}
void sumRows(const float *rows, int64_t count, int64_t size, float *results) {
  kernels().sumRows(rows, count, size, results);
}

} // namespace tilerig::reference
