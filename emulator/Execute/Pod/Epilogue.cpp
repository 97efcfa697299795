#include "emulator/Execute/Pod/Epilogue.h"

#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Quantise.h"
#include "isa/Numerics/Requantise.h"

#include <cstring>

namespace tilerig::pod {

using rules::Arithmetic;

namespace {

// Slots of the scratch that rows do not use here.
constexpr Slot addendReals = ownB, middleReals = ownC;

Landing wholeRange(ElementType type, int32_t zeroPoint, Rounding rounding) {
  Landing landing =
      type == ElementType::u8 ? Landing::of<uint8_t>(zeroPoint) : Landing::of<int8_t>(zeroPoint);
  landing.rounding = rounding;
  return landing;
}

const std::byte *vectorOf(const Places &places, std::string_view name, const Vector &vector,
                          uint32_t outputs) {
  return vector.present ? places.vector(name, vector.base, uint64_t{4} * (vector.broadcast ? 1 : outputs))
                        : nullptr;
}

// Entries of a table of bytes, or of i9.
void lookUp(const std::byte *table, ElementType index, ElementType entry, std::span<int32_t> q) {
  const int32_t lowest = index == ElementType::i8 ? -128 : 0;
  for (int32_t &x : q) {
    const size_t at = static_cast<size_t>(x - lowest);
    if (entry == ElementType::i8)
      x = static_cast<int8_t>(table[at]);
    else
      x = static_cast<uint8_t>(table[at]);
  }
}

} // namespace

EpilogueRunner::EpilogueRunner(const Epilogue &epilogue, Arithmetic arithmetic, View output, unsigned tile,
                               const Places &places)
    : it(epilogue), arithmetic(arithmetic), output(output) {
  if (it.accumulateFrom.present())
    accumulateFrom = places.view("epilogue.accumulate_from", it.accumulateFrom, tile);
  if (it.addend.present())
    addend = places.view("epilogue.addend", it.addend, tile);
  bias = vectorOf(places, "epilogue.bias", it.bias, output.rowLength());
  scale = vectorOf(places, "epilogue.scale", it.scale, output.rowLength());
  if (it.table.present)
    table = places.vector("epilogue.table", it.table.base, 256);
}

template <class T>
void EpilogueRunner::startFrom(Index4 at, std::span<T> acc) const {
  std::byte *to = reinterpret_cast<std::byte *>(acc.data());
  const auto count = static_cast<uint32_t>(acc.size());
  if (accumulateFrom.present())
    moveRow(accumulateFrom.row(at), accumulateFrom.stride(4), to, sizeof(T), sizeof(T), count);
  else if (bias)
    moveRow(bias, it.bias.broadcast ? 0 : sizeof(T), to, sizeof(T), sizeof(T), count);
  else
    std::memset(to, 0, sizeof(T) * count);
}
void EpilogueRunner::start(Index4 at, std::span<int32_t> acc) const { startFrom(at, acc); }
void EpilogueRunner::start(Index4 at, std::span<float> acc) const { startFrom(at, acc); }

// y[i] = fl(fl(acc[i]) * scale[i])
void EpilogueRunner::scaled(std::span<const int32_t> acc, std::span<float> y) const {
  const float *scales = reinterpret_cast<const float *>(scale);
  if (it.scale.broadcast)
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<float>(acc[i]) * scales[0];
  else
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<float>(acc[i]) * scales[i];
}

void EpilogueRunner::finish(Index4 at, std::span<int32_t> acc, Scratch &scratch) const {
  if (arithmetic == Arithmetic::podInteger)
    return writeIntegers(acc, output, output.row(at));
  if (arithmetic == Arithmetic::podQuantised)
    return addend.present() ? addQuantised(at, acc, scratch) : finishQuantised(at, acc, scratch);
  std::span y(scratch.of<float>(rowA, acc.size()), acc.size());
  scaled(acc, y);
  finishReals(at, y, scratch);
}

void EpilogueRunner::finish(Index4 at, std::span<float> acc, Scratch &scratch) const {
  finishReals(at, acc, scratch);
}

void EpilogueRunner::finishQuantised(Index4 at, std::span<int32_t> acc, Scratch &scratch) const {
  const Landing landing = landingOf(it.finish, output.type);
  const std::span scales(reinterpret_cast<const float *>(scale), it.scale.broadcast ? 1 : acc.size());
  const auto into = [&]<class T>(T *) {
    if (output.rowIsDense() && !table)
      return requantise(std::span<const int32_t>(acc), scales, landing,
                        std::span(reinterpret_cast<T *>(output.row(at)), acc.size()));
    T *q = scratch.of<T>(rowA, acc.size());
    requantise(std::span<const int32_t>(acc), scales, landing, std::span(q, acc.size()));
    for (size_t i = 0; i < acc.size(); ++i)
      acc[i] = integerOf(q[i]);
    if (table)
      lookUp(table, output.type, output.type, acc);
    writeIntegers(acc, output, output.row(at));
  };
  switch (output.type) {
  case ElementType::i8:
    return into(static_cast<int8_t *>(nullptr));
  case ElementType::u8:
    return into(static_cast<uint8_t *>(nullptr));
  default:
    return into(static_cast<I9 *>(nullptr));
  }
}

void EpilogueRunner::addQuantised(Index4 at, std::span<int32_t> acc, Scratch &scratch) const {
  const Landing middle = wholeRange(it.middleType, it.middle.zeroPoint, roundingOf(it.finish));
  std::span y(scratch.of<float>(middleReals, acc.size()), acc.size());
  scaled(acc, y);
  for (size_t i = 0; i < acc.size(); ++i)
    acc[i] = land(y[i], middle);
  if (table && it.functionFirst)
    lookUp(table, it.middleType, it.middleType, acc);
  std::span added(scratch.of<float>(addendReals, acc.size()), acc.size());
  readReals(addend, addend.row(at), it.addendAffine, added, scratch);
  for (size_t i = 0; i < acc.size(); ++i)
    y[i] = dequantise(acc[i], it.middle.scale, it.middle.zeroPoint) + added[i];
  if (!table || it.functionFirst)
    return writeReals(y, it.finish, output, output.row(at), scratch);
  const Landing landing = landingOf(it.finish, output.type);
  for (size_t i = 0; i < acc.size(); ++i) {
    const float real = y[i] / it.finish.output.scale;
    acc[i] = output.type == ElementType::i8 ? int32_t{land<int8_t>(real, landing)}
                                            : int32_t{land<uint8_t>(real, landing)};
  }
  lookUp(table, output.type, output.type, acc);
  writeIntegers(acc, output, output.row(at));
}

void EpilogueRunner::finishReals(Index4 at, std::span<float> y, Scratch &scratch) const {
  if (!addend.present())
    return writeReals(y, it.finish, output, output.row(at), scratch);
  Finish rest = it.finish;
  if (it.functionFirst) {
    evaluate(it.finish.function, y, y, it.finish.alpha, it.finish.beta);
    rest.function = UnaryFunction::identity;
  }
  std::span added(scratch.of<float>(addendReals, y.size()), y.size());
  readReals(addend, addend.row(at), it.addendAffine, added, scratch);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] += added[i];
  writeReals(y, rest, output, output.row(at), scratch);
}

} // namespace tilerig::pod
