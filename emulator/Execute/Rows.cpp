#include "emulator/Execute/Rows.h"

#include "isa/Numerics/Convert.h"
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Quantise.h"

#include <cstring>

namespace tilerig::emulator {

namespace {

template <unsigned bytes>
void moveElements(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride,
                  uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, bytes);
}

// Returns a row of an operand as contiguous elements of type T: in place if the row is dense, otherwise
// gathered into scratch memory.
template <class T>
std::span<const T> denseRow(const View &view, const std::byte *row, Scratch &scratch) {
  const uint32_t count = view.rowLength();
  if (view.rowIsDense())
    return {reinterpret_cast<const T *>(row), count};
  T *gathered = scratch.of<T>(rowBytes, count);
  moveElements<sizeof(T)>(row, view.stride(4), reinterpret_cast<std::byte *>(gathered), sizeof(T), count);
  return {gathered, count};
}

// Calls `write` to fill a row of an output with elements of type T. If the row is contiguous, `write` fills
// the row itself. Otherwise it fills scratch memory, which is then scattered to the row.
template <class T, class Write>
void writeDense(const View &view, std::byte *row, Scratch &scratch, Write write) {
  const uint32_t count = view.rowLength();
  if (view.rowIsDense())
    return write(std::span(reinterpret_cast<T *>(row), count));
  T *dense = scratch.of<T>(rowBytes, count);
  write(std::span(dense, count));
  moveElements<sizeof(T)>(reinterpret_cast<std::byte *>(dense), sizeof(T), row, view.stride(4), count);
}

template <class T>
T loadAs(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void readIntegersOf(const View &view, const std::byte *row, std::span<int32_t> into) {
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = static_cast<int32_t>(loadAs<T>(row + static_cast<int64_t>(i) * view.stride(4)));
}

template <class T>
void writeIntegersOf(std::span<const int32_t> integers, const View &view, std::byte *row) {
  for (size_t i = 0; i < integers.size(); ++i) {
    const T value = static_cast<T>(integers[i]);
    std::memcpy(row + static_cast<int64_t>(i) * view.stride(4), &value, sizeof value);
  }
}

} // namespace

void moveStridedRow(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride,
                    unsigned elementBytes, uint32_t count) {
  switch (elementBytes) {
  case 1:
    return moveElements<1>(from, fromStride, to, toStride, count);
  case 2:
    return moveElements<2>(from, fromStride, to, toStride, count);
  default:
    return moveElements<4>(from, fromStride, to, toStride, count);
  }
}

void readReals(const View &view, const std::byte *row, const Affine &affine, std::span<float> into,
               Scratch &scratch) {
  // A row that repeats a single element (stride 0) is converted once.
  if (view.stride(4) == 0 && view.rowLength() > 1) {
    View one = view;
    one.dims[4].size = 1;
    readReals(one, row, affine, into.first(1), scratch);
    std::fill(into.begin() + 1, into.end(), into[0]);
    return;
  }
  switch (view.type) {
  case ElementType::i8:
    return dequantise(denseRow<int8_t>(view, row, scratch), affine.scale, affine.zeroPoint, into);
  case ElementType::u8:
    return dequantise(denseRow<uint8_t>(view, row, scratch), affine.scale, affine.zeroPoint, into);
  case ElementType::i9:
    return dequantise(denseRow<I9>(view, row, scratch), affine.scale, affine.zeroPoint, into);
  case ElementType::i32: {
    auto integers = denseRow<int32_t>(view, row, scratch);
    std::transform(integers.begin(), integers.end(), into.begin(),
                   [](int32_t x) { return static_cast<float>(x); });
    return;
  }
  case ElementType::fp16:
    return toFloat(denseRow<Fp16>(view, row, scratch), into);
  case ElementType::bf16:
    return toFloat(denseRow<Bf16>(view, row, scratch), into);
  case ElementType::fp32:
    return moveRow(row, view.stride(4), reinterpret_cast<std::byte *>(into.data()), sizeof(float),
                   sizeof(float), view.rowLength());
  }
}

void readIntegers(const View &view, const std::byte *row, std::span<int32_t> into) {
  switch (view.type) {
  case ElementType::i8:
    return readIntegersOf<int8_t>(view, row, into);
  case ElementType::u8:
    return readIntegersOf<uint8_t>(view, row, into);
  case ElementType::i9:
    return readIntegersOf<int16_t>(view, row, into);
  default:
    return readIntegersOf<int32_t>(view, row, into);
  }
}

Landing landingOf(const Finish &finish, ElementType output) {
  return {.zeroPoint = finish.output.zeroPoint,
          .low = finish.clampLow,
          .high = finish.clampHigh,
          .rounding = roundingOf(finish),
          .narrowing = finish.wrap && output != ElementType::i9 ? Narrowing::wrap : Narrowing::saturate};
}

void writeReals(std::span<float> reals, const Finish &finish, const View &view, std::byte *row,
                Scratch &scratch) {
  if (finish.function != UnaryFunction::identity)
    evaluate(finish.function, reals, reals, finish.alpha, finish.beta);
  const auto quantised = [&](auto out) {
    quantise(std::span<const float>(reals), finish.output.scale, landingOf(finish, view.type), out);
  };
  switch (view.type) {
  case ElementType::i8:
    return writeDense<int8_t>(view, row, scratch, quantised);
  case ElementType::u8:
    return writeDense<uint8_t>(view, row, scratch, quantised);
  case ElementType::i9:
    return writeDense<I9>(view, row, scratch, quantised);
  case ElementType::i32:
    return writeDense<int32_t>(view, row, scratch, [&](auto out) {
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = roundTo<int32_t>(reals[i], roundingOf(finish));
    });
  case ElementType::fp16:
    return writeDense<Fp16>(view, row, scratch,
                            [&](auto out) { fromFloat(std::span<const float>(reals), out); });
  case ElementType::bf16:
    return writeDense<Bf16>(view, row, scratch,
                            [&](auto out) { fromFloat(std::span<const float>(reals), out); });
  case ElementType::fp32:
    return moveRow(reinterpret_cast<const std::byte *>(reals.data()), sizeof(float), row, view.stride(4),
                   sizeof(float), view.rowLength());
  }
}

void writeIntegers(std::span<const int32_t> integers, const View &view, std::byte *row) {
  switch (view.type) {
  case ElementType::i8:
    return writeIntegersOf<int8_t>(integers, view, row);
  case ElementType::u8:
    return writeIntegersOf<uint8_t>(integers, view, row);
  case ElementType::i9:
    return writeIntegersOf<int16_t>(integers, view, row);
  default:
    return writeIntegersOf<int32_t>(integers, view, row);
  }
}

int32_t landSum(int32_t sum, float factor, const Finish &finish, ElementType output) {
  const Landing landing = landingOf(finish, output);
  const float real = static_cast<float>(sum) * factor;
  switch (output) {
  case ElementType::i8:
    return land<int8_t>(real, landing);
  case ElementType::u8:
    return land<uint8_t>(real, landing);
  default:
    return land<I9>(real, landing).value;
  }
}

int32_t evaluateInteger(UnaryFunction function, int32_t x) {
  switch (function) {
  case UnaryFunction::relu:
    return std::max(x, 0);
  case UnaryFunction::abs:
    return x < 0 ? static_cast<int32_t>(0u - static_cast<uint32_t>(x)) : x;
  case UnaryFunction::neg:
    return static_cast<int32_t>(0u - static_cast<uint32_t>(x));
  case UnaryFunction::sign:
    return (x > 0) - (x < 0);
  case UnaryFunction::logicalNot:
    return x == 0;
  default:
    return x;
  }
}

} // namespace tilerig::emulator
