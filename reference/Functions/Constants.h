// The numeric constants and polynomial coefficients that isa/Numerics/README.md lists.
#pragma once

namespace tilerig::reference::TILERIG_SIMD {

inline constexpr double log2OfE = 0x1.71547652b82fep+0;
inline constexpr double ln2High = 0x1.62e42fefa39efp-1;
inline constexpr double ln2Low = 0x1.abc9e3b39803fp-56;
inline constexpr double halfPi = 0x1.921fb54442d18p+0;
inline constexpr double quarterPi = 0x1.921fb54442d18p-1;
inline constexpr double pi = 0x1.921fb54442d18p+1;
inline constexpr double tanPi8 = 0x1.a827999fcef32p-2;
inline constexpr double cotPi8 = 0x1.3504f333f9de6p+1;
inline constexpr double sqrtHalf = 0x1.6a09e667f3bcdp-1;
inline constexpr double twoSqrtTwoOverPi = 0x1.9884533d43651p+0;
inline constexpr double geluCubic = 0x1.6e4e26d4801f7p-5;
inline constexpr double expTail[] = {0x1.0000000000001p-1,  0x1.5555555555558p-3,  0x1.5555555553d67p-5,
                                     0x1.111111110f809p-7,  0x1.6c16c1788a1f6p-10, 0x1.a01a01b009c0ep-13,
                                     0x1.a019b913f8b0ap-16, 0x1.71ddf6bac93f6p-19, 0x1.28917d3276249p-22,
                                     0x1.af631dc702fdcp-26};
inline constexpr double logTail[] = {0x1.5555555555558p-1, 0x1.999999999522ep-2, 0x1.2492492e02b0ap-2,
                                     0x1.c71c62d1c7b33p-3, 0x1.7462b9b7b69e3p-3, 0x1.39fdc7e17769ep-3,
                                     0x1.2b5f0a3a425c0p-3};
inline constexpr double sinTail[] = {-0x1.5555555555555p-3, 0x1.1111111110bb3p-7,   -0x1.a01a019e83e2bp-13,
                                     0x1.71de3796c93a4p-19, -0x1.ae600b3d1d8f8p-26, 0x1.5e0b2ce06d18cp-33};
inline constexpr double cosTail[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4ec8dp-16,
                                     -0x1.27e4fa17f61c1p-22, 0x1.1eeb69032e401p-29,  -0x1.907db4333add3p-37};
inline constexpr double asinTail[] = {0x1.555555555554ep-3, 0x1.33333333374acp-4,  0x1.6db6db67be450p-5,
                                      0x1.f1c71fda37fddp-6, 0x1.6e8b2291a7a76p-6,  0x1.1c59dea16bf24p-6,
                                      0x1.c8639e9e852c7p-7, 0x1.85918bb87f8fep-7,  0x1.fb371dda7c8bap-8,
                                      0x1.09d4873804440p-6, -0x1.6ab2db79a9822p-7, 0x1.d156ba682e222p-6};
inline constexpr double atanTail[] = {-0x1.5555555555547p-2, 0x1.9999999991295p-3,  -0x1.2492491e21c88p-3,
                                      0x1.c71c6df5bb693p-4,  -0x1.745c83b72bb00p-4, 0x1.3b06d5909e4e1p-4,
                                      -0x1.1060f9d744abcp-4, 0x1.d60af393a7a65p-5,  -0x1.6fa7ab592563ap-5,
                                      0x1.75ba7c91cb43bp-6};
inline constexpr double erfRatio[] = {0x1.20dd750429b6dp+0,   -0x1.812746b0379c2p-2,  0x1.ce2f21a041017p-4,
                                      -0x1.b82ce31206284p-6,  0x1.565bccfa9a285p-8,   -0x1.c02db072e9856p-11,
                                      0x1.f9a2bf733331bp-14,  -0x1.f4ca9490c6111p-17, 0x1.b9827ae0ef5c5p-20,
                                      -0x1.5c16e243c6d72p-23, 0x1.d784910dc0562p-27,  -0x1.acdffa2d977cep-31};
inline constexpr double erfcScaled[] = {
    0x1.3ba5916e9fd7ep+0,  -0x1.1df1ad154a215p-3,  0x1.f7f5df67026edp-7,   0x1.16ecefcf9d402p-4,
    -0x1.9ddb23c41975ep-4, 0x1.7fee004f362dfp-4,   -0x1.0fb06df842a6bp-4,  0x1.3079edd5cf672p-5,
    -0x1.09623a08ebf6ap-6, 0x1.49c67798935e0p-8,   -0x1.8d48f67dd1a34p-11, -0x1.a1dcf3d8f81c4p-13,
    0x1.3bc2c964ef742p-13, -0x1.9a7a611b6a952p-16, -0x1.752d34298207cp-17, 0x1.900da78f9da9cp-18,
    0x1.7a0f259b2ed3fp-22, -0x1.2a04f32409774p-20, -0x1.0a9194cbf8f77p-22, 0x1.b6372458e4ce0p-32};
// The first hexadecimal digits of 2/pi after the point.
inline constexpr char twoOverPi[] =
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e0";

} // namespace tilerig::reference::TILERIG_SIMD
