#include "emulator/Execute/Pod/Epilogue.h"

#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Quantise.h"
#include "isa/Numerics/Requantise.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilerig::emulator::pod {

using rules::Arithmetic;

namespace {

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

std::vector<uint32_t> offsetsOf(const View &view, const View &output) {
  std::vector<uint32_t> offsets(view.present() ? output.numRows() : 0);
  RowWalk walk(output, 0);
  for (uint32_t &offset : offsets) {
    offset = static_cast<uint32_t>(view.row(walk.index()) - view.data);
    walk.next();
  }
  return offsets;
}

// Calls body(T{}), where T is the C++ type in which elements of the quantised type `type` are stored.
template <class Body>
void withStorage(ElementType type, Body body) {
  switch (type) {
  case ElementType::i8:
    return body(int8_t{});
  case ElementType::u8:
    return body(uint8_t{});
  default:
    return body(I9{});
  }
}

// Replaces each value by its entry in a table, whose first entry is for the lowest value of the type T. There
// are no tables for i9.
template <class T>
void lookUp(const std::byte *table, std::span<T> q) {
  if constexpr (sizeof(T) == 1)
    for (T &x : q)
      x = static_cast<T>(table[static_cast<int32_t>(x) - std::numeric_limits<T>::min()]);
}

View denseView(void *data, ElementType type, size_t count) {
  View view{static_cast<std::byte *>(data), type, {}};
  view.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {static_cast<uint32_t>(count), sizeBytes(type)}}};
  return view;
}

} // namespace

EpilogueRunner::EpilogueRunner(const Epilogue &epilogue, Arithmetic arithmetic, View output, unsigned tile,
                               const Places &places)
    : epilogue(epilogue), arithmetic(arithmetic), parts(1) {
  Part &part = parts[0];
  part.output = output;
  if (epilogue.accumulateFrom.present())
    part.accumulateFrom = places.view("epilogue.accumulate_from", epilogue.accumulateFrom, tile);
  if (epilogue.addend.present())
    part.addend = places.view("epilogue.addend", epilogue.addend, tile);
  part.outputAt = offsetsOf(output, output);
  part.accumulateFromAt = offsetsOf(part.accumulateFrom, output);
  part.addendAt = offsetsOf(part.addend, output);
  part.bias = vectorOf(places, "epilogue.bias", epilogue.bias, output.rowLength());
  part.scale = vectorOf(places, "epilogue.scale", epilogue.scale, output.rowLength());
  if (epilogue.table.present)
    table = places.vector("epilogue.table", epilogue.table.base, 256);
}

void EpilogueRunner::join(const EpilogueRunner &next) {
  for (Part part : next.parts) {
    part.first = outputs();
    parts.push_back(std::move(part));
  }
}

bool alike(const Epilogue &first, const Epilogue &second) {
  const auto withoutPlaces = [](Epilogue one) {
    for (Vector *vector : {&one.bias, &one.scale, &one.table})
      vector->base = 0;
    for (Stream *stream : {&one.accumulateFrom, &one.addend})
      *stream = {.space = stream->space, .type = stream->type};
    return one;
  };
  // The sign of a zero parameter may be that of a result.
  const auto bits = [](const Finish &finish) {
    return std::pair(std::bit_cast<uint32_t>(finish.alpha), std::bit_cast<uint32_t>(finish.beta));
  };
  return withoutPlaces(first) == withoutPlaces(second) && bits(first.finish) == bits(second.finish);
}

// --- Computation of the starting values of the POD's accumulators ---

template <class T>
void EpilogueRunner::startFrom(Rows rows, Accumulators<T> acc) const {
  for (size_t p = 0; p < rows.size(); ++p) {
    if (p > 0 && !epilogue.accumulateFrom.present()) {
      std::copy_n(acc.row(0), acc.stride, acc.row(p)); // all rows begin with the bias
      continue;
    }
    for (const Part &part : parts) {
      const uint32_t outputs = part.output.rowLength();
      std::byte *to = reinterpret_cast<std::byte *>(acc.row(p) + part.first);
      if (part.accumulateFrom.present())
        moveRow(part.accumulateFrom.data + part.accumulateFromAt[rows[p]], part.accumulateFrom.stride(4), to,
                sizeof(T), sizeof(T), outputs);
      else if (part.bias)
        moveRow(part.bias, epilogue.bias.broadcast ? 0 : sizeof(T), to, sizeof(T), sizeof(T), outputs);
      else
        std::memset(to, 0, sizeof(T) * outputs);
    }
    std::fill(acc.row(p) + outputs(), acc.row(p) + acc.stride, T(0));
  }
}
void EpilogueRunner::start(Rows rows, Accumulators<int32_t> acc) const { startFrom(rows, acc); }
void EpilogueRunner::start(Rows rows, Accumulators<float> acc) const { startFrom(rows, acc); }

// --- Computation of the epilogue, which turns sums of products into results ---

void EpilogueRunner::finish(Rows rows, Accumulators<int32_t> acc, Scratch &scratch) const {
  if (arithmetic == Arithmetic::podInteger)
    return scatter(rows, acc.data, acc.stride);
  if (arithmetic == Arithmetic::podQuantised)
    return parts[0].addend.present() ? addQuantised(rows, acc, scratch) : finishQuantised(rows, acc, scratch);
  // y = acc * scale for every accumulator acc, with two roundings to fp32: of acc, and of the product.
  const std::span<const float> scales = scalesFor(acc.stride, scratch);
  const Accumulators<float> y{scratch.of<float>(epilogueReals, rows.size() * acc.stride), acc.stride};
  for (size_t p = 0; p < rows.size(); ++p)
    for (size_t i = 0; i < acc.stride; ++i)
      y.row(p)[i] = static_cast<float>(acc.row(p)[i]) * scales[i];
  finishReals(rows, y, scratch);
}

void EpilogueRunner::finish(Rows rows, Accumulators<float> acc, Scratch &scratch) const {
  finishReals(rows, acc, scratch);
}

// The scales by which the epilogue multiplies the accumulators of one output position; zero for the
// accumulators that pad a panel of 16 outputs.
std::span<const float> EpilogueRunner::scalesFor(size_t stride, Scratch &scratch) const {
  if (parts.size() == 1 && outputs() == stride && !epilogue.scale.broadcast)
    return {reinterpret_cast<const float *>(parts[0].scale), stride};
  const std::span scales(scratch.of<float>(epilogueScales, stride), stride);
  for (const Part &part : parts)
    moveRow(part.scale, epilogue.scale.broadcast ? 0 : sizeof(float),
            reinterpret_cast<std::byte *>(scales.data() + part.first), sizeof(float), sizeof(float),
            part.output.rowLength());
  std::fill(scales.begin() + outputs(), scales.end(), 0.0f);
  return scales;
}

void EpilogueRunner::finishQuantised(Rows rows, Accumulators<int32_t> acc, Scratch &scratch) const {
  withStorage(outputType(), [&]<class T>(T) {
    const std::span<const int32_t> sums = acc.all(rows.size());
    const std::span q(scratch.of<T>(epilogueResult, sums.size()), sums.size());
    requantise(sums, scalesFor(acc.stride, scratch), landingOf(epilogue.finish, outputType()), q);
    if (table)
      lookUp(table, q);
    scatter(rows, q.data(), acc.stride);
  });
}

void EpilogueRunner::addQuantised(Rows rows, Accumulators<int32_t> acc, Scratch &scratch) const {
  const std::span<const int32_t> sums = acc.all(rows.size());
  const Accumulators<float> y{scratch.of<float>(epilogueReals, sums.size()), acc.stride};
  withStorage(epilogue.middleType, [&]<class T>(T) {
    const std::span q(scratch.of<T>(epilogueResult, sums.size()), sums.size());
    requantise(sums, scalesFor(acc.stride, scratch),
               wholeRange(epilogue.middleType, epilogue.middle.zeroPoint, roundingOf(epilogue.finish)), q);
    if (table && epilogue.functionFirst)
      lookUp(table, q);
    dequantise(std::span<const T>(q), epilogue.middle.scale, epilogue.middle.zeroPoint, y.all(rows.size()));
  });
  addAddend(rows, y, scratch);
  if (!table || epilogue.functionFirst)
    return store(rows, y, epilogue.finish, scratch);
  withStorage(outputType(), [&]<class T>(T) {
    const std::span q(scratch.of<T>(epilogueResult, sums.size()), sums.size());
    quantise(std::span<const float>(y.all(rows.size())), epilogue.finish.output.scale,
             landingOf(epilogue.finish, outputType()), q);
    lookUp(table, q);
    scatter(rows, q.data(), acc.stride);
  });
}

void EpilogueRunner::finishReals(Rows rows, Accumulators<float> y, Scratch &scratch) const {
  if (!parts[0].addend.present())
    return store(rows, y, epilogue.finish, scratch);
  Finish rest = epilogue.finish;
  if (epilogue.functionFirst) {
    const std::span<float> all = y.all(rows.size());
    evaluate(epilogue.finish.function, all, all, epilogue.finish.alpha, epilogue.finish.beta);
    rest.function = UnaryFunction::identity;
  }
  addAddend(rows, y, scratch);
  store(rows, y, rest, scratch);
}

// Adds the epilogue's addend (a second operand, dequantised) to the values y.
void EpilogueRunner::addAddend(Rows rows, Accumulators<float> y, Scratch &scratch) const {
  const ElementType type = parts[0].addend.type;
  const unsigned bytes = sizeBytes(type);
  const size_t count = rows.size() * y.stride;
  std::byte *gathered = scratch.of<std::byte>(epilogueAddend, count * bytes);
  for (const Part &part : parts)
    for (size_t p = 0; p < rows.size(); ++p)
      moveRow(part.addend.data + part.addendAt[rows[p]], part.addend.stride(4),
              gathered + (p * y.stride + part.first) * bytes, bytes, bytes, part.output.rowLength());
  const std::span values(scratch.of<float>(epilogueAddendReals, count), count);
  readReals(denseView(gathered, type, count), gathered, epilogue.addendAffine, values, scratch);
  const std::span<float> all = y.all(rows.size());
  for (size_t i = 0; i < count; ++i)
    all[i] += values[i];
}

// The last steps of the epilogue: applies the function, rounds once to the output type, and stores the
// results.
void EpilogueRunner::store(Rows rows, Accumulators<float> y, const Finish &finish, Scratch &scratch) const {
  const std::span<float> all = y.all(rows.size());
  std::byte *results = scratch.of<std::byte>(epilogueResult, all.size() * sizeBytes(outputType()));
  writeReals(all, finish, denseView(results, outputType(), all.size()), results, scratch);
  scatter(rows, results, y.stride);
}

// Copies the epilogue's results, which have `stride` elements for each position and no gaps, to the rows of
// the outputs.
void EpilogueRunner::scatter(Rows rows, const void *results, size_t stride) const {
  const unsigned bytes = sizeBytes(outputType());
  for (const Part &part : parts) {
    const auto *from = static_cast<const std::byte *>(results) + size_t{part.first} * bytes;
    for (const uint32_t row : rows) {
      moveRow(from, bytes, part.output.data + part.outputAt[row], part.output.stride(4), bytes,
              part.output.rowLength());
      from += stride * bytes;
    }
  }
}

} // namespace tilerig::emulator::pod
