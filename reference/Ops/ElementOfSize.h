// Type dispatch by element size: operators that only move elements use one stand-in type for all types of a
// size.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace tilerig::reference {

// Calls f.template operator()<Element>() with a type of `size` bytes, which must be the size of an element
// type.
template <class F>
decltype(auto) withElementOfSize(size_t size, F &&f) {
  switch (size) {
  case 1:
    return f.template operator()<uint8_t>();
  case 2:
    return f.template operator()<uint16_t>();
  case 4:
    return f.template operator()<uint32_t>();
  case 8:
    return f.template operator()<uint64_t>();
  default:
    return f.template operator()<std::complex<double>>();
  }
}

} // namespace tilerig::reference
