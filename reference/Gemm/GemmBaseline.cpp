#define Eigen Eigen_baseline
#define TILERIG_GEMM_NAMESPACE baseline
#include "reference/Gemm/GemmKernel.h"
