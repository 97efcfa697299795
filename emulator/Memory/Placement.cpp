#include "emulator/Memory/Placement.h"

#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Numerics/Quantise.h"
#include "isa/Program/VerifyParts.h"

#include <cmath>
#include <cstring>
#include <fmt/core.h>

namespace tilerig {

namespace {

ElementType storedTypeOf(const proto::Tensor &placement) {
  constexpr auto names = EnumNames<ElementType>::values;
  return static_cast<ElementType>(std::ranges::find(names, placement.stored_type()) - names.begin());
}

// The C++ type of stored elements.
template <class F>
decltype(auto) dispatchStored(ElementType type, F f) {
  switch (type) {
  case ElementType::i8:
    return f.template operator()<int8_t>();
  case ElementType::u8:
    return f.template operator()<uint8_t>();
  case ElementType::i9:
    return f.template operator()<I9>();
  case ElementType::i32:
    return f.template operator()<int32_t>();
  case ElementType::fp16:
    return f.template operator()<Fp16>();
  case ElementType::bf16:
    return f.template operator()<Bf16>();
  default:
    return f.template operator()<float>();
  }
}

template <class T>
constexpr bool isStoredFloat = std::is_same_v<T, float> || std::is_same_v<T, Fp16> || std::is_same_v<T, Bf16>;

// What a host element means as a number; only types that a model's activations have.
double realOf(Float16 x) { return toFloat(Fp16{x.bits}); }
double realOf(BFloat16 x) { return toFloat(Bf16{x.bits}); }
template <class T>
requires std::is_arithmetic_v<T>
double realOf(T x) { return static_cast<double>(x); }

// Integers without a scale stand for themselves.
float scaleOf(const proto::Tensor &placement) { return placement.scale() == 0 ? 1 : placement.scale(); }

template <class Stored>
Stored storedReal(double real, const proto::Tensor &placement) {
  if constexpr (std::is_same_v<Stored, float>)
    return static_cast<float>(real);
  else if constexpr (std::is_same_v<Stored, Fp16>)
    return fp16FromDouble(real);
  else if constexpr (std::is_same_v<Stored, Bf16>)
    return bf16FromDouble(real);
  else if constexpr (std::is_same_v<Stored, int32_t>)
    return roundTo<int32_t>(static_cast<float>(real), Rounding::halfEven);
  else
    return quantise<Stored>(static_cast<float>(real), scaleOf(placement),
                            Landing::of<Stored>(placement.zero_point()));
}

template <class Stored>
double realOfStored(Stored stored, const proto::Tensor &placement) {
  if constexpr (std::is_same_v<Stored, float>)
    return stored;
  else if constexpr (std::is_same_v<Stored, Fp16> || std::is_same_v<Stored, Bf16>)
    return toFloat(stored);
  else if constexpr (std::is_same_v<Stored, int32_t>)
    return stored;
  else
    return dequantise(stored, scaleOf(placement), placement.zero_point());
}

int64_t integerOfStored(int32_t x) { return x; }
int64_t integerOfStored(int8_t x) { return x; }
int64_t integerOfStored(uint8_t x) { return x; }
int64_t integerOfStored(I9 x) { return x.value; }

template <class Stored>
bool holds(int64_t x) {
  if constexpr (std::is_same_v<Stored, I9>)
    return x >= I9::lowest && x <= I9::highest;
  else
    return x >= std::numeric_limits<Stored>::min() && x <= std::numeric_limits<Stored>::max();
}

// One element from the host's type to the stored one; false if it does not fit. Quantised storage of a float
// tensor has a scale; integers of an integer tensor stand for themselves.
template <class Host, class Stored>
bool store(Host host, Stored &stored, const proto::Tensor &placement) {
  if constexpr (std::is_integral_v<Host> && !isStoredFloat<Stored>) {
    const auto x = static_cast<int64_t>(host);
    if constexpr (std::is_same_v<Host, uint64_t>)
      if (host > static_cast<uint64_t>(INT64_MAX))
        return false;
    if (!holds<Stored>(x))
      return false;
    if constexpr (std::is_same_v<Stored, I9>)
      stored = I9{static_cast<int16_t>(x)};
    else
      stored = static_cast<Stored>(x);
  } else if constexpr (std::is_same_v<Host, Float16> && std::is_same_v<Stored, Fp16>) {
    stored = Fp16{host.bits};
  } else if constexpr (std::is_same_v<Host, BFloat16> && std::is_same_v<Stored, Bf16>) {
    stored = Bf16{host.bits};
  } else {
    stored = storedReal<Stored>(realOf(host), placement);
  }
  return true;
}

template <class Host, class Stored>
bool fetch(Stored stored, Host &host, const proto::Tensor &placement) {
  if constexpr (std::is_integral_v<Host> && !isStoredFloat<Stored>) {
    const int64_t x = integerOfStored(stored);
    if constexpr (std::is_same_v<Host, bool>) {
      host = x != 0;
      return x == 0 || x == 1;
    } else {
      host = static_cast<Host>(x);
      return static_cast<int64_t>(host) == x && (std::is_signed_v<Host> || x >= 0);
    }
  } else if constexpr (std::is_integral_v<Host>) {
    return false;
  } else if constexpr (std::is_same_v<Host, Float16>) {
    if constexpr (std::is_same_v<Stored, Fp16>)
      host.bits = stored.bits;
    else
      host.bits = fp16FromDouble(realOfStored(stored, placement)).bits;
  } else if constexpr (std::is_same_v<Host, BFloat16>) {
    if constexpr (std::is_same_v<Stored, Bf16>)
      host.bits = stored.bits;
    else
      host.bits = bf16FromDouble(realOfStored(stored, placement)).bits;
  } else {
    host = static_cast<Host>(realOfStored(stored, placement));
  }
  return true;
}

template <class T>
constexpr bool isComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Calls visit(offset of the row in the tensor, address of the row) for every row of a piece.
template <class Visit>
Status forEachRowOf(const proto::Piece &piece, std::span<const int64_t> strides, Visit visit) {
  const int rank = piece.extent_size();
  if (std::ranges::any_of(piece.extent(), [](int64_t extent) { return extent == 0; }))
    return success();
  std::vector<int64_t> at(rank, 0);
  for (;;) {
    int64_t offset = 0;
    uint64_t address = piece.address();
    for (int d = 0; d < rank; ++d) {
      offset += (piece.begin(d) + at[d]) * strides[d];
      address += static_cast<uint64_t>(at[d]) * piece.stride(d);
    }
    CHECK_OK(visit(offset, address));
    int d = rank - 1;
    while (--d >= 0 && ++at[d] == piece.extent(d))
      at[d] = 0;
    if (d < 0)
      return success();
  }
}

struct RowShape {
  int64_t count = 1;
  uint64_t stride = 0;
};
RowShape rowShapeOf(const proto::Piece &piece) {
  const int rank = piece.extent_size();
  return rank == 0 ? RowShape() : RowShape{piece.extent(rank - 1), piece.stride(rank - 1)};
}

MemoryId memoryOf(const proto::Piece &piece) { return piece.ddr() ? ddrMemory : ocmOf(piece.tile()); }

Error misfit(const proto::Tensor &placement) {
  return invalidInput(
      fmt::format("tensor '{}'", placement.name()),
      fmt::format("an element of type {} does not fit {}", placement.dtype(), placement.stored_type()));
}

template <class Host, class Stored>
Status placeAs(const proto::Tensor &placement, const Tensor &tensor, Memories &memories) {
  const auto elements = tensor.as<Host>();
  for (const proto::Piece &piece : placement.pieces()) {
    const RowShape row = rowShapeOf(piece);
    CHECK_OK(forEachRowOf(piece, tensor.strides(), [&](int64_t offset, uint64_t address) -> Status {
      std::byte *to = memories.writable(memoryOf(piece), {address, address + 1});
      for (int64_t i = 0; i < row.count; ++i) {
        Stored stored;
        if (!store(elements[offset + i], stored, placement))
          return misfit(placement);
        std::memcpy(to + static_cast<uint64_t>(i) * row.stride, &stored, sizeof stored);
      }
      return success();
    }));
  }
  return success();
}

template <class Host, class Stored>
Status collectAs(const proto::Tensor &placement, Tensor &tensor, Memories &memories) {
  const auto elements = tensor.mutableAs<Host>();
  const auto strides = tensor.strides();
  for (const proto::Piece &piece : placement.pieces()) {
    const RowShape row = rowShapeOf(piece);
    CHECK_OK(forEachRowOf(piece, strides, [&](int64_t offset, uint64_t address) -> Status {
      const uint64_t end = address + static_cast<uint64_t>(row.count - 1) * row.stride + sizeof(Stored);
      const std::byte *from = memories.readable(memoryOf(piece), {address, end});
      for (int64_t i = 0; i < row.count; ++i) {
        Stored stored;
        std::memcpy(&stored, from + static_cast<uint64_t>(i) * row.stride, sizeof stored);
        if (!fetch(stored, elements[offset + i], placement))
          return misfit(placement);
      }
      return success();
    }));
  }
  return success();
}

} // namespace

Status placeTensor(const proto::Tensor &placement, const Tensor &tensor, Memories &memories) {
  const auto place = fmt::format("input '{}'", placement.name());
  const Shape shape(placement.shape().begin(), placement.shape().end());
  if (nameOf(tensor.dtype()) != placement.dtype() || tensor.shape() != shape)
    return invalidInput(place, fmt::format("is {} {}, and the program wants {} {}", nameOf(tensor.dtype()),
                                           showShape(tensor.shape()), placement.dtype(), showShape(shape)));
  return dispatch(tensor.dtype(), [&]<class Host>() -> Status {
    if constexpr (isComplex<Host>)
      return unsupported(place, "complex numbers are not stored");
    else
      return dispatchStored(storedTypeOf(placement), [&]<class Stored>() {
        return placeAs<Host, Stored>(placement, tensor, memories);
      });
  });
}

Result<Tensor> collectTensor(const proto::Tensor &placement, Memories &memories) {
  const DType dtype = *dtypeNamed(placement.dtype());
  TRY(Tensor tensor, Tensor::make(dtype, Shape(placement.shape().begin(), placement.shape().end())));
  CHECK_OK(dispatch(dtype, [&]<class Host>() -> Status {
    if constexpr (isComplex<Host>)
      return unsupported(fmt::format("tensor '{}'", placement.name()), "complex numbers are not stored");
    else
      return dispatchStored(storedTypeOf(placement), [&]<class Stored>() {
        return collectAs<Host, Stored>(placement, tensor, memories);
      });
  }));
  return tensor;
}

} // namespace tilerig
