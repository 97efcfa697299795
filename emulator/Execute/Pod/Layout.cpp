#include "emulator/Execute/Pod/Layout.h"

#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Convert.h"

namespace tilerig::emulator::pod {

namespace {

template <class T>
const T *dense(const std::byte *row, int64_t stride, uint32_t count, Scratch &scratch) {
  if (count == 1 || stride == sizeof(T))
    return reinterpret_cast<const T *>(row);
  T *gathered = scratch.of<T>(gatheredRow, count);
  moveRow(row, stride, reinterpret_cast<std::byte *>(gathered), sizeof(T), sizeof(T), count);
  return gathered;
}

} // namespace

void widenRow(const View &view, const std::byte *row, int64_t stride, uint32_t count, int32_t zeroPoint,
              int16_t *out, Scratch &scratch) {
  if (view.type == ElementType::i8)
    widen(dense<int8_t>(row, stride, count, scratch), zeroPoint, out, count);
  else
    widen(dense<uint8_t>(row, stride, count, scratch), zeroPoint, out, count);
}

void widenRow(const View &view, const std::byte *row, int64_t stride, uint32_t count, int32_t, float *out,
              Scratch &scratch) {
  const std::span to(out, count);
  if (view.type == ElementType::fp16)
    toFloat(std::span(dense<Fp16>(row, stride, count, scratch), count), to);
  else if (view.type == ElementType::bf16)
    toFloat(std::span(dense<Bf16>(row, stride, count, scratch), count), to);
  else
    moveRow(row, stride, reinterpret_cast<std::byte *>(out), sizeof(float), sizeof(float), count);
}

} // namespace tilerig::emulator::pod
