#include "emulator/Observe/Sights.h"

#include "emulator/Memory/Box.h"
#include "emulator/Memory/Stored.h"
#include "emulator/Observe/Observation.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>

namespace tilerig {

namespace {

constexpr int64_t mostElements = 1 << 16; // of one copy, so that threads can share them

// Along the outermost dimension in memory, so that every part is as contiguous as the whole; nothing of one
// element.
std::optional<std::pair<Box, Box>> halved(const Box &box) {
  if (elementsOf(box) <= 1)
    return std::nullopt;
  size_t outermost = 0;
  for (size_t d = 1; d < box.extent.size(); ++d)
    if (box.extent[outermost] == 1 || (box.extent[d] > 1 && box.stride[d] > box.stride[outermost]))
      outermost = d;
  const int64_t half = box.extent[outermost] / 2;
  Box low = box, high = box;
  low.extent[outermost] = half;
  high.extent[outermost] -= half;
  high.begin[outermost] += half;
  high.address += static_cast<uint64_t>(half) * box.stride[outermost];
  return std::pair{low, high};
}

void cut(const Box &box, std::vector<Box> &parts) {
  const auto halves = elementsOf(box) > mostElements ? halved(box) : std::nullopt;
  if (!halves) {
    parts.push_back(box);
    return;
  }
  cut(halves->first, parts);
  cut(halves->second, parts);
}

// The elements that a tensor has, and those that lie somewhere.
std::pair<int64_t, int64_t> elementsKept(const proto::Tensor &tensor, const std::vector<Box> &boxes) {
  int64_t all = 1, kept = 0;
  for (int64_t size : tensor.shape())
    all *= size;
  for (const Box &box : boxes)
    kept += elementsOf(box);
  return {all, kept};
}

void addSights(const proto::Tensor &tensor, std::vector<Box> boxes, Tensor &stored, Memories &memories,
               Sights &sights) {
  std::vector<Box> parts;
  for (const Box &box : boxes)
    cut(box, parts);
  const unsigned bytes = sizeBytes(storedTypeOf(tensor));
  for (const Box &part : parts) {
    StridedCopy copy = gathering(part, stored, memories);
    if (tensor.role() == proto::INPUT)
      sights.atBegin.push_back(std::move(copy));
    else if (tensor.role() == proto::OUTPUT)
      sights.atEnd.push_back(std::move(copy));
    else
      sights.stages[tensor.stage()].push_back(
          {{part.memory, regionsOf(part, bytes), tensor.layer()}, std::move(copy), part, tensor.name()});
  }
}

} // namespace

std::vector<Sight> Sights::halvesOf(const Sight &sight, Memories &memories) {
  Tensor &stored = *captured.find(sight.tensor);
  std::vector<Sight> halves;
  if (const auto boxes = halved(sight.box))
    for (const Box &box : {boxes->first, boxes->second})
      halves.push_back({{box.memory, regionsOf(box, sizeBytes(stored.dtype())), sight.piece.layer},
                        gathering(box, stored, memories),
                        box,
                        sight.tensor});
  return halves;
}

Result<Sights> Sights::of(const Program &program, const Observation &observation, Memories &memories) {
  for (const std::string &name : observation.capture)
    CHECK_OK(findTensor(program, name, "capture of"));
  Sights sights;
  sights.stages.resize(program.stages.size());
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    const bool isNamed = std::ranges::find(observation.capture, tensor.name()) != observation.capture.end();
    if (!isNamed && !observation.captureAll)
      continue;
    std::vector<Box> boxes = disjointBoxes(tensor);
    const auto [all, kept] = elementsKept(tensor, boxes);
    if (kept < all && isNamed)
      return invalidInput(fmt::format("capture of '{}'", tensor.name()),
                          fmt::format("the program keeps {} of its {} elements", kept, all));
    if (kept < all) {
      sights.missing.push_back(tensor.name());
      continue;
    }
    TRY(Tensor fresh, Tensor::make(storedDType(tensor), shapeOf(tensor)));
    CHECK_OK(sights.captured.add(tensor.name(), std::move(fresh)));
    if (observation.captureComputed && observation.replace.find(tensor.name()))
      continue; // seen just before it is replaced
    addSights(tensor, std::move(boxes), *sights.captured.find(tensor.name()), memories, sights);
  }
  return sights;
}

Result<TensorMap> Sights::capturedAsModel(const Program &program) const {
  TensorMap result;
  for (const NamedTensor &it : captured) {
    const auto &tensors = program.metadata.tensors();
    TRY(Tensor tensor, fromStored(*std::ranges::find(tensors, it.name, &proto::Tensor::name), it.tensor));
    CHECK_OK(result.add(it.name, std::move(tensor)));
  }
  return result;
}

} // namespace tilerig
