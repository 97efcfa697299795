// Which instruction sets the bulk functions are compiled for; included before any header of Highway.
//
// Every formula with a fused multiply-add needs the hardware's, or the bits change: the x86 targets below
// AVX2 have none and are left out, so that such a CPU runs the plain scalar code, whose fma() is exact on any
// machine. What remains on x86 is AVX-512 ("AVX3"), AVX2, and plain; the choice is made at run time and never
// shows in a result.
#pragma once

#if defined(HIGHWAY_HWY_DETECT_TARGETS_H_)
#error "include isa/Numerics/Targets.h before Highway"
#endif
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)

#include <hwy/detect_targets.h>
