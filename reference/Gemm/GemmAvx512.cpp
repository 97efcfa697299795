#define Eigen Eigen_avx512
#define TILERIG_GEMM_NAMESPACE avx512
#include "reference/Gemm/GemmKernel.h"
