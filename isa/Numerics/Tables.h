// Lookup tables that replace a function of a quantised tensor: one entry for every value of the input type,
// the lowest value first (256 for i8 and u8, 512 for i9).
//
// An entry is quantise(evaluate(dequantise(q))): the function is computed in double and rounded to fp32,
// divided by the output's scale in one fp32 division, rounded and clamped. A table therefore gives exactly
// the same bits as applying the function to each element.
#pragma once

#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Quantise.h"

#include <array>
#include <cstddef>

namespace tilerig {

// Scale and zero point: the value of one unit of a stored integer, and the integer that represents 0.
struct Quantisation {
  float scale = 1;
  int32_t zeroPoint = 0;
};

template <QuantisedStorage T>
inline constexpr size_t tableSize = StorageRange<T>::highest - StorageRange<T>::lowest + 1;

template <QuantisedStorage T>
constexpr size_t tableIndex(T stored) {
  return static_cast<size_t>(integerOf(stored) - StorageRange<T>::lowest);
}

// A lookup table with float results, which are not quantised.
template <QuantisedStorage From, class Function>
std::array<float, tableSize<From>> realTable(const Quantisation &in, const Function &function) {
  std::array<float, tableSize<From>> entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    const int32_t q = static_cast<int32_t>(i) + StorageRange<From>::lowest;
    entries[i] = function(dequantise(q, in.scale, in.zeroPoint));
  }
  return entries;
}

template <QuantisedStorage From, QuantisedStorage To, class Function>
std::array<To, tableSize<From>> quantisedTable(const Quantisation &in, float outScale, const Landing &landing,
                                               const Function &function) {
  std::array<To, tableSize<From>> entries;
  const auto reals = realTable<From>(in, function);
  for (size_t i = 0; i < entries.size(); ++i)
    entries[i] = quantise<To>(reals[i], outScale, landing);
  return entries;
}

template <QuantisedStorage From, QuantisedStorage To>
std::array<To, tableSize<From>> functionTable(MathFunction function, float alpha, float beta,
                                              const Quantisation &in, float outScale,
                                              const Landing &landing) {
  return quantisedTable<From, To>(in, outScale, landing,
                                  [=](float x) { return evaluate(function, x, alpha, beta); });
}

} // namespace tilerig
