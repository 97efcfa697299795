#define Eigen Eigen_avx2
#define TILERIG_GEMM_NAMESPACE avx2
#include "reference/Gemm/GemmKernel.h"
