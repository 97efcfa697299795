// Constants of the function formulas. Coefficients/derive.py prints this file and says how each
// constant was found; do not edit the file.
//
// Arrays hold coefficients by ascending power. Error bounds in the comments are relative to the function
// that the polynomial computes, and hold for the coefficients as rounded here.
#pragma once

// clang-format off

namespace tilerig::coefficients {

inline constexpr double log2OfE = 0x1.71547652b82fep+0; // double nearest to 1 / ln 2
inline constexpr double ln2High = 0x1.62e42fefa39efp-1; // double nearest to ln 2
inline constexpr double ln2Low = 0x1.abc9e3b39803fp-56; // double nearest to ln 2 - ln2High
inline constexpr double halfPi = 0x1.921fb54442d18p+0; // double nearest to pi / 2
inline constexpr double quarterPi = 0x1.921fb54442d18p-1; // double nearest to pi / 4
inline constexpr double pi = 0x1.921fb54442d18p+1; // double nearest to pi
inline constexpr double tanPi8 = 0x1.a827999fcef32p-2; // double nearest to tan(pi / 8)
inline constexpr double cotPi8 = 0x1.3504f333f9de6p+1; // double nearest to 1 / tan(pi / 8)
inline constexpr double sqrtHalf = 0x1.6a09e667f3bcdp-1; // double nearest to sqrt(1/2)
inline constexpr double twoSqrtTwoOverPi = 0x1.9884533d43651p+0; // double nearest to 2 sqrt(2 / pi)
inline constexpr double geluCubic = 0x1.6e4e26d4801f7p-5; // double nearest to 0.044715

// Coefficients of Q in e^r = 1 + r + r^2 Q(r), where |r| <= ln 2 / 2.
// Relative error of the function: at most 2^-54.35.
inline constexpr double expTail[10] = {
    0x1.0000000000001p-1,
    0x1.5555555555558p-3,
    0x1.5555555553d67p-5,
    0x1.111111110f809p-7,
    0x1.6c16c1788a1f6p-10,
    0x1.a01a01b009c0ep-13,
    0x1.a019b913f8b0ap-16,
    0x1.71ddf6bac93f6p-19,
    0x1.28917d3276249p-22,
    0x1.af631dc702fdcp-26,
};

// Coefficients of L in log((1+s)/(1-s)) = 2 s + s z L(z), where z = s^2 and s <= 0.1716.
// Relative error of the function: at most 2^-57.59.
inline constexpr double logTail[7] = {
    0x1.5555555555558p-1,
    0x1.999999999522ep-2,
    0x1.2492492e02b0ap-2,
    0x1.c71c62d1c7b33p-3,
    0x1.7462b9b7b69e3p-3,
    0x1.39fdc7e17769ep-3,
    0x1.2b5f0a3a425c0p-3,
};

// Coefficients of S in sin r = r + r z S(z), where z = r^2 and |r| <= pi/4.
// Relative error of the function: at most 2^-55.45.
inline constexpr double sinTail[6] = {
    -0x1.5555555555555p-3,
    0x1.1111111110bb3p-7,
    -0x1.a01a019e83e2bp-13,
    0x1.71de3796c93a4p-19,
    -0x1.ae600b3d1d8f8p-26,
    0x1.5e0b2ce06d18cp-33,
};

// Coefficients of C in cos r = 1 - z/2 + z^2 C(z), where z = r^2 and |r| <= pi/4.
// Relative error of the function: at most 2^-59.51.
inline constexpr double cosTail[6] = {
    0x1.5555555555555p-5,
    -0x1.6c16c16c16967p-10,
    0x1.a01a019f4ec8dp-16,
    -0x1.27e4fa17f61c1p-22,
    0x1.1eeb69032e401p-29,
    -0x1.907db4333add3p-37,
};

// Coefficients of A in asin x = x + x z A(z), where z = x^2 <= 1/4.
// Relative error of the function: at most 2^-54.19.
inline constexpr double asinTail[12] = {
    0x1.555555555554ep-3,
    0x1.33333333374acp-4,
    0x1.6db6db67be450p-5,
    0x1.f1c71fda37fddp-6,
    0x1.6e8b2291a7a76p-6,
    0x1.1c59dea16bf24p-6,
    0x1.c8639e9e852c7p-7,
    0x1.85918bb87f8fep-7,
    0x1.fb371dda7c8bap-8,
    0x1.09d4873804440p-6,
    -0x1.6ab2db79a9822p-7,
    0x1.d156ba682e222p-6,
};

// Coefficients of T in atan t = t + t z T(z), where z = t^2 and |t| <= tan(pi/8).
// Relative error of the function: at most 2^-52.61.
inline constexpr double atanTail[10] = {
    -0x1.5555555555547p-2,
    0x1.9999999991295p-3,
    -0x1.2492491e21c88p-3,
    0x1.c71c6df5bb693p-4,
    -0x1.745c83b72bb00p-4,
    0x1.3b06d5909e4e1p-4,
    -0x1.1060f9d744abcp-4,
    0x1.d60af393a7a65p-5,
    -0x1.6fa7ab592563ap-5,
    0x1.75ba7c91cb43bp-6,
};

// Coefficients of P in erf x = x P(z), where z = x^2 <= 1.
// Relative error of the function: at most 2^-54.71.
inline constexpr double erfRatio[12] = {
    0x1.20dd750429b6dp+0,
    -0x1.812746b0379c2p-2,
    0x1.ce2f21a041017p-4,
    -0x1.b82ce31206284p-6,
    0x1.565bccfa9a285p-8,
    -0x1.c02db072e9856p-11,
    0x1.f9a2bf733331bp-14,
    -0x1.f4ca9490c6111p-17,
    0x1.b9827ae0ef5c5p-20,
    -0x1.5c16e243c6d72p-23,
    0x1.d784910dc0562p-27,
    -0x1.acdffa2d977cep-31,
};

// Coefficients of X in erfc a = exp(-a^2) X(t) / (1 + 2 a), where t = (a-4)/(a+4) and a <= 16/sqrt(2).
// Relative error of the function: at most 2^-51.95.
inline constexpr double erfcScaled[20] = {
    0x1.3ba5916e9fd7ep+0,
    -0x1.1df1ad154a215p-3,
    0x1.f7f5df67026edp-7,
    0x1.16ecefcf9d402p-4,
    -0x1.9ddb23c41975ep-4,
    0x1.7fee004f362dfp-4,
    -0x1.0fb06df842a6bp-4,
    0x1.3079edd5cf672p-5,
    -0x1.09623a08ebf6ap-6,
    0x1.49c67798935e0p-8,
    -0x1.8d48f67dd1a34p-11,
    -0x1.a1dcf3d8f81c4p-13,
    0x1.3bc2c964ef742p-13,
    -0x1.9a7a611b6a952p-16,
    -0x1.752d34298207cp-17,
    0x1.900da78f9da9cp-18,
    0x1.7a0f259b2ed3fp-22,
    -0x1.2a04f32409774p-20,
    -0x1.0a9194cbf8f77p-22,
    0x1.b6372458e4ce0p-32,
};

// Table to reduce the arguments of sin and cos. For arguments with exponent E, row E + 1 holds
// (2/pi * 2^(E-23)) mod 4 as a sum of three parts: a multiple of 2^-26, one of 2^-54, and the rest, rounded.
inline constexpr double twoOverPiModulo4[129][3] = {
    {0x1.0000000000000p-25, 0x1.17cc1b6000000p-27, 0x1.27220a94fe13bp-55},
    {0x1.4000000000000p-24, 0x1.7cc1b70000000p-30, 0x1.391054a7f09d6p-57},
    {0x1.4000000000000p-23, 0x1.7cc1b70000000p-29, 0x1.391054a7f09d6p-56},
    {0x1.4000000000000p-22, 0x1.7cc1b70000000p-28, 0x1.391054a7f09d6p-55},
    {0x1.4000000000000p-21, 0x1.7cc1b72000000p-27, 0x1.c882a53f84eb0p-57},
    {0x1.4400000000000p-20, 0x1.f306dc8000000p-28, 0x1.c882a53f84eb0p-56},
    {0x1.4400000000000p-19, 0x1.f306dc8000000p-27, 0x1.c882a53f84eb0p-55},
    {0x1.4500000000000p-18, 0x1.e60db92000000p-27, 0x1.91054a7f09d5fp-55},
    {0x1.4580000000000p-17, 0x1.cc1b726000000p-27, 0x1.220a94fe13abfp-55},
    {0x1.45c0000000000p-16, 0x1.9836e4e000000p-27, 0x1.1054a7f09d5f4p-57},
    {0x1.45e0000000000p-15, 0x1.306dc9c000000p-27, 0x1.1054a7f09d5f4p-56},
    {0x1.45f0000000000p-14, 0x1.836e4e0000000p-29, 0x1.1054a7f09d5f4p-55},
    {0x1.45f0000000000p-13, 0x1.836e4e4000000p-28, 0x1.054a7f09d5f48p-58},
    {0x1.45f0000000000p-12, 0x1.836e4e4000000p-27, 0x1.054a7f09d5f48p-57},
    {0x1.45f2000000000p-11, 0x1.06dc9c8000000p-27, 0x1.054a7f09d5f48p-56},
    {0x1.45f3000000000p-10, 0x1.b727200000000p-32, 0x1.054a7f09d5f48p-55},
    {0x1.45f3000000000p-9, 0x1.b727220000000p-31, 0x1.529fc2757d1f5p-60},
    {0x1.45f3000000000p-8, 0x1.b727220000000p-30, 0x1.529fc2757d1f5p-59},
    {0x1.45f3000000000p-7, 0x1.b727220000000p-29, 0x1.529fc2757d1f5p-58},
    {0x1.45f3000000000p-6, 0x1.b727220000000p-28, 0x1.529fc2757d1f5p-57},
    {0x1.45f3000000000p-5, 0x1.b727220000000p-27, 0x1.529fc2757d1f5p-56},
    {0x1.45f3040000000p-4, 0x1.6e4e440000000p-27, 0x1.529fc2757d1f5p-55},
    {0x1.45f3060000000p-3, 0x1.b939104000000p-28, 0x1.4a7f09d5f47d5p-56},
    {0x1.45f3060000000p-2, 0x1.b939104000000p-27, 0x1.4a7f09d5f47d5p-55},
    {0x1.45f3068000000p-1, 0x1.727220a000000p-27, 0x1.29fc2757d1f53p-56},
    {0x1.45f306c000000p+0, 0x1.c9c8828000000p-28, 0x1.29fc2757d1f53p-55},
    {0x1.45f306c000000p+1, 0x1.c9c882a000000p-27, 0x1.4fe13abe8fa9ap-57},
    {0x1.17cc1b4000000p+0, 0x1.9391054000000p-27, 0x1.4fe13abe8fa9ap-56},
    {0x1.17cc1b6000000p+1, 0x1.27220a8000000p-27, 0x1.4fe13abe8fa9ap-55},
    {0x1.7cc1b70000000p-2, 0x1.3910548000000p-29, 0x1.3f84eafa3ea6ap-56},
    {0x1.7cc1b70000000p-1, 0x1.3910548000000p-28, 0x1.3f84eafa3ea6ap-55},
    {0x1.7cc1b70000000p+0, 0x1.391054a000000p-27, 0x1.fc2757d1f534ep-57},
    {0x1.7cc1b72000000p+1, 0x1.c882a50000000p-29, 0x1.fc2757d1f534ep-56},
    {0x1.f306dc8000000p+0, 0x1.c882a50000000p-28, 0x1.fc2757d1f534ep-55},
    {0x1.f306dc8000000p+1, 0x1.c882a52000000p-27, 0x1.f84eafa3ea69cp-55},
    {0x1.e60db92000000p+1, 0x1.91054a6000000p-27, 0x1.f09d5f47d4d37p-55},
    {0x1.cc1b726000000p+1, 0x1.220a94e000000p-27, 0x1.e13abe8fa9a6fp-55},
    {0x1.9836e4e000000p+1, 0x1.1054a78000000p-29, 0x1.c2757d1f534dep-55},
    {0x1.306dc9c000000p+1, 0x1.1054a7c000000p-28, 0x1.84eafa3ea69bcp-55},
    {0x1.836e4e0000000p-1, 0x1.1054a7e000000p-27, 0x1.09d5f47d4d377p-55},
    {0x1.836e4e4000000p+0, 0x1.054a7f0000000p-30, 0x1.3abe8fa9a6ee0p-59},
    {0x1.836e4e4000000p+1, 0x1.054a7f0000000p-29, 0x1.3abe8fa9a6ee0p-58},
    {0x1.06dc9c8000000p+1, 0x1.054a7f0000000p-28, 0x1.3abe8fa9a6ee0p-57},
    {0x1.b727200000000p-4, 0x1.054a7f0000000p-27, 0x1.3abe8fa9a6ee0p-56},
    {0x1.b727220000000p-3, 0x1.529fc00000000p-32, 0x1.3abe8fa9a6ee0p-55},
    {0x1.b727220000000p-2, 0x1.529fc20000000p-31, 0x1.d5f47d4d37703p-57},
    {0x1.b727220000000p-1, 0x1.529fc20000000p-30, 0x1.d5f47d4d37703p-56},
    {0x1.b727220000000p+0, 0x1.529fc20000000p-29, 0x1.d5f47d4d37703p-55},
    {0x1.b727220000000p+1, 0x1.529fc24000000p-28, 0x1.abe8fa9a6ee07p-55},
    {0x1.6e4e440000000p+1, 0x1.529fc26000000p-27, 0x1.57d1f534ddc0ep-55},
    {0x1.b939104000000p+0, 0x1.4a7f09c000000p-28, 0x1.5f47d4d377037p-56},
    {0x1.b939104000000p+1, 0x1.4a7f09c000000p-27, 0x1.5f47d4d377037p-55},
    {0x1.727220a000000p+1, 0x1.29fc274000000p-28, 0x1.7d1f534ddc0dbp-56},
    {0x1.c9c8828000000p+0, 0x1.29fc274000000p-27, 0x1.7d1f534ddc0dbp-55},
    {0x1.c9c882a000000p+1, 0x1.4fe13a8000000p-29, 0x1.f47d4d377036ep-56},
    {0x1.9391054000000p+1, 0x1.4fe13a8000000p-28, 0x1.f47d4d377036ep-55},
    {0x1.27220a8000000p+1, 0x1.4fe13aa000000p-27, 0x1.e8fa9a6ee06dbp-55},
    {0x1.3910548000000p-1, 0x1.3f84eac000000p-28, 0x1.d1f534ddc0db6p-55},
    {0x1.3910548000000p+0, 0x1.3f84eae000000p-27, 0x1.a3ea69bb81b6cp-55},
    {0x1.391054a000000p+1, 0x1.fc27578000000p-29, 0x1.47d4d377036d9p-55},
    {0x1.c882a50000000p-1, 0x1.fc2757c000000p-28, 0x1.1f534ddc0db63p-56},
    {0x1.c882a50000000p+0, 0x1.fc2757c000000p-27, 0x1.1f534ddc0db63p-55},
    {0x1.c882a52000000p+1, 0x1.f84eafa000000p-27, 0x1.f534ddc0db629p-58},
    {0x1.91054a6000000p+1, 0x1.f09d5f4000000p-27, 0x1.f534ddc0db629p-57},
    {0x1.220a94e000000p+1, 0x1.e13abe8000000p-27, 0x1.f534ddc0db629p-56},
    {0x1.1054a78000000p-1, 0x1.c2757d0000000p-27, 0x1.f534ddc0db629p-55},
    {0x1.1054a7c000000p+0, 0x1.84eafa2000000p-27, 0x1.ea69bb81b6c53p-55},
    {0x1.1054a7e000000p+1, 0x1.09d5f46000000p-27, 0x1.d4d377036d8a5p-55},
    {0x1.054a7f0000000p-2, 0x1.3abe8e0000000p-31, 0x1.a9a6ee06db14bp-55},
    {0x1.054a7f0000000p-1, 0x1.3abe8f0000000p-30, 0x1.534ddc0db6296p-55},
    {0x1.054a7f0000000p+0, 0x1.3abe8f8000000p-29, 0x1.4d377036d8a56p-56},
    {0x1.054a7f0000000p+1, 0x1.3abe8f8000000p-28, 0x1.4d377036d8a56p-55},
    {0x1.529fc00000000p-4, 0x1.3abe8fa000000p-27, 0x1.34ddc0db6295ap-56},
    {0x1.529fc20000000p-3, 0x1.d5f47d0000000p-29, 0x1.34ddc0db6295ap-55},
    {0x1.529fc20000000p-2, 0x1.d5f47d4000000p-28, 0x1.a6ee06db14acdp-57},
    {0x1.529fc20000000p-1, 0x1.d5f47d4000000p-27, 0x1.a6ee06db14acdp-56},
    {0x1.529fc24000000p+0, 0x1.abe8fa8000000p-27, 0x1.a6ee06db14acdp-55},
    {0x1.529fc26000000p+1, 0x1.57d1f52000000p-27, 0x1.4ddc0db629599p-55},
    {0x1.4a7f09c000000p+0, 0x1.5f47d4c000000p-28, 0x1.377036d8a5665p-56},
    {0x1.4a7f09c000000p+1, 0x1.5f47d4c000000p-27, 0x1.377036d8a5665p-55},
    {0x1.29fc274000000p+0, 0x1.7d1f534000000p-28, 0x1.bb81b6c52b328p-57},
    {0x1.29fc274000000p+1, 0x1.7d1f534000000p-27, 0x1.bb81b6c52b328p-56},
    {0x1.4fe13a8000000p-1, 0x1.f47d4d0000000p-28, 0x1.bb81b6c52b328p-55},
    {0x1.4fe13a8000000p+0, 0x1.f47d4d2000000p-27, 0x1.77036d8a5664fp-55},
    {0x1.4fe13aa000000p+1, 0x1.e8fa9a6000000p-27, 0x1.dc0db6295993cp-56},
    {0x1.3f84eac000000p+0, 0x1.d1f534c000000p-27, 0x1.dc0db6295993cp-55},
    {0x1.3f84eae000000p+1, 0x1.a3ea69a000000p-27, 0x1.b81b6c52b3279p-55},
    {0x1.fc27578000000p-1, 0x1.47d4d36000000p-27, 0x1.7036d8a5664f1p-55},
    {0x1.fc2757c000000p+0, 0x1.1f534dc000000p-28, 0x1.c0db6295993c4p-56},
    {0x1.fc2757c000000p+1, 0x1.1f534dc000000p-27, 0x1.c0db6295993c4p-55},
    {0x1.f84eafa000000p+1, 0x1.f534dd0000000p-30, 0x1.81b6c52b32788p-55},
    {0x1.f09d5f4000000p+1, 0x1.f534dd8000000p-29, 0x1.036d8a5664f11p-55},
    {0x1.e13abe8000000p+1, 0x1.f534ddc000000p-28, 0x1.b6c52b3278872p-61},
    {0x1.c2757d0000000p+1, 0x1.f534ddc000000p-27, 0x1.b6c52b3278872p-60},
    {0x1.84eafa2000000p+1, 0x1.ea69bb8000000p-27, 0x1.b6c52b3278872p-59},
    {0x1.09d5f46000000p+1, 0x1.d4d3770000000p-27, 0x1.b6c52b3278872p-58},
    {0x1.3abe8e0000000p-3, 0x1.a9a6ee0000000p-27, 0x1.b6c52b3278872p-57},
    {0x1.3abe8f0000000p-2, 0x1.534ddc0000000p-27, 0x1.b6c52b3278872p-56},
    {0x1.3abe8f8000000p-1, 0x1.4d37700000000p-28, 0x1.b6c52b3278872p-55},
    {0x1.3abe8f8000000p+0, 0x1.4d37702000000p-27, 0x1.6d8a5664f10e4p-55},
    {0x1.3abe8fa000000p+1, 0x1.34ddc0c000000p-28, 0x1.b6295993c4390p-56},
    {0x1.d5f47d0000000p-1, 0x1.34ddc0c000000p-27, 0x1.b6295993c4390p-55},
    {0x1.d5f47d4000000p+0, 0x1.a6ee068000000p-29, 0x1.6c52b32788721p-55},
    {0x1.d5f47d4000000p+1, 0x1.a6ee06c000000p-28, 0x1.b14acc9e21c82p-56},
    {0x1.abe8fa8000000p+1, 0x1.a6ee06c000000p-27, 0x1.b14acc9e21c82p-55},
    {0x1.57d1f52000000p+1, 0x1.4ddc0da000000p-27, 0x1.6295993c43904p-55},
    {0x1.5f47d4c000000p+0, 0x1.377036c000000p-28, 0x1.8a5664f10e410p-56},
    {0x1.5f47d4c000000p+1, 0x1.377036c000000p-27, 0x1.8a5664f10e410p-55},
    {0x1.7d1f534000000p+0, 0x1.bb81b68000000p-29, 0x1.14acc9e21c821p-55},
    {0x1.7d1f534000000p+1, 0x1.bb81b6c000000p-28, 0x1.4acc9e21c8210p-58},
    {0x1.f47d4d0000000p+0, 0x1.bb81b6c000000p-27, 0x1.4acc9e21c8210p-57},
    {0x1.f47d4d2000000p+1, 0x1.77036d8000000p-27, 0x1.4acc9e21c8210p-56},
    {0x1.e8fa9a6000000p+1, 0x1.dc0db60000000p-28, 0x1.4acc9e21c8210p-55},
    {0x1.d1f534c000000p+1, 0x1.dc0db62000000p-27, 0x1.2b32788720840p-56},
    {0x1.a3ea69a000000p+1, 0x1.b81b6c4000000p-27, 0x1.2b32788720840p-55},
    {0x1.47d4d36000000p+1, 0x1.7036d8a000000p-27, 0x1.5993c439041fep-57},
    {0x1.1f534dc000000p+0, 0x1.c0db628000000p-28, 0x1.5993c439041fep-56},
    {0x1.1f534dc000000p+1, 0x1.c0db628000000p-27, 0x1.5993c439041fep-55},
    {0x1.f534dd0000000p-2, 0x1.81b6c52000000p-27, 0x1.664f10e4107f9p-56},
    {0x1.f534dd8000000p-1, 0x1.036d8a4000000p-27, 0x1.664f10e4107f9p-55},
    {0x1.f534ddc000000p+0, 0x1.b6c5280000000p-33, 0x1.993c439041fe5p-56},
    {0x1.f534ddc000000p+1, 0x1.b6c5280000000p-32, 0x1.993c439041fe5p-55},
    {0x1.ea69bb8000000p+1, 0x1.b6c52a0000000p-31, 0x1.3278872083fcap-55},
    {0x1.d4d3770000000p+1, 0x1.b6c52b0000000p-30, 0x1.93c439041fe51p-57},
    {0x1.a9a6ee0000000p+1, 0x1.b6c52b0000000p-29, 0x1.93c439041fe51p-56},
    {0x1.534ddc0000000p+1, 0x1.b6c52b0000000p-28, 0x1.93c439041fe51p-55},
    {0x1.4d37700000000p+0, 0x1.b6c52b2000000p-27, 0x1.278872083fca3p-55},
    {0x1.4d37702000000p+1, 0x1.6d8a566000000p-27, 0x1.3c439041fe516p-57},
    {0x1.34ddc0c000000p+0, 0x1.b629598000000p-28, 0x1.3c439041fe516p-56},
};

} // namespace tilerig::coefficients
