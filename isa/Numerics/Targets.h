// Selects the instruction sets for which the vector code is compiled. Include this before any header of
// Highway.
//
// Formulas with a fused multiply-add give other bits without hardware support for it. x86 targets below AVX2
// have none and are excluded; such a CPU runs the scalar code, whose fma() is exact on any machine. On x86
// this leaves AVX-512 ("AVX3"), AVX2 and scalar code. The target is selected at run time and never affects a
// result.
#pragma once

#if defined(HIGHWAY_HWY_DETECT_TARGETS_H_)
#error "include isa/Numerics/Targets.h before Highway"
#endif
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)

#include <hwy/detect_targets.h>
