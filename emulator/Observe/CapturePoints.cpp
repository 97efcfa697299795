#include "emulator/Observe/CapturePoints.h"

#include "emulator/Memory/Box.h"
#include "emulator/Memory/Stored.h"
#include "emulator/Observe/Observers.h"
#include "isa/Program/CutOutputs.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

// Maximum number of elements that one copy of a capture moves, so that threads share the work.
constexpr int64_t mostElements = 1 << 16;

// Splits a box along its outermost dimension in memory, so that both parts are as contiguous as the whole.
std::pair<Box, Box> halvesOf(const Box &box) {
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
  return {low, high};
}

void cut(const Box &box, std::vector<Box> &parts) {
  if (elementsOf(box) <= mostElements) {
    parts.push_back(box);
    return;
  }
  const auto [low, high] = halvesOf(box);
  cut(low, parts);
  cut(high, parts);
}

// The number of elements of the tensor, and the number of those that are stored in one of the boxes
// (rectangular parts).
std::pair<int64_t, int64_t> elementsKept(const proto::Tensor &tensor, const std::vector<Box> &boxes) {
  int64_t all = 1, kept = 0;
  for (int64_t size : tensor.shape())
    all *= size;
  for (const Box &box : boxes)
    kept += elementsOf(box);
  return {all, kept};
}

void addCapturePoints(const proto::Tensor &tensor, std::vector<Box> boxes, Tensor &stored, Memories &memories,
                      CapturePoints &capturePoints) {
  std::vector<Box> parts;
  for (const Box &box : boxes)
    cut(box, parts);
  for (const Box &part : parts)
    if (tensor.role() == proto::INPUT)
      capturePoints.atBegin.push_back(gathering(part, stored, memories));
    else if (tensor.role() == proto::OUTPUT)
      capturePoints.atEnd.push_back(gathering(part, stored, memories));
    else
      capturePoints.stages[tensor.stage()].push_back(
          CapturePoint::of(part, tensor.layer(), stored, memories));
}

} // namespace

CapturePoint CapturePoint::of(const Box &box, uint32_t layer, Tensor &to, Memories &memories) {
  return {box,
          &to,
          {box.memory, regionsOf(box, static_cast<unsigned>(sizeBytes(to.dtype()))), layer, box.readyAt},
          gathering(box, to, memories)};
}

std::vector<CapturePoint> CapturePoint::halves(Memories &memories) const {
  if (elementsOf(box) <= 1)
    return {};
  const auto [low, high] = halvesOf(box);
  return {of(low, piece.layer, *to, memories), of(high, piece.layer, *to, memories)};
}

Result<CapturePoints> CapturePoints::of(const Program &program, const Observation &observation,
                                        Memories &memories) {
  for (const std::string &name : observation.capture)
    TILERIG_CHECK_OK(findTensor(program, name, "capture of"));
  CapturePoints capturePoints;
  capturePoints.stages.resize(program.stages.size());
  std::vector<std::pair<const proto::Tensor *, std::vector<Box>>> looked;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    const bool isNamed = std::ranges::any_of(observation.capture, [&](const std::string &name) {
      return name == tensor.name() || sizesOf(program, name) == tensor.name();
    });
    if (!isNamed && !observation.captureAll)
      continue;
    std::vector<Box> boxes = disjointBoxes(tensor);
    const auto [all, kept] = elementsKept(tensor, boxes);
    if (kept < all && isNamed)
      return invalidInput(fmt::format("capture of '{}'", tensor.name()),
                          fmt::format("the program stores only {} of the tensor's {} elements", kept, all));
    if (kept < all) {
      capturePoints.missing.push_back(tensor.name());
      continue;
    }
    TILERIG_TRY(Tensor fresh, Tensor::make(storedDType(tensor), shapeOf(tensor)));
    TILERIG_CHECK_OK(capturePoints.captured.add(tensor.name(), std::move(fresh)));
    // Computed values of replaced tensors are captured by Replace.cpp.
    if (!observation.captureComputed || !observation.replace.find(tensor.name()))
      looked.emplace_back(&tensor, std::move(boxes));
  }
  // Capture points refer to the captured tensors, so they are created after all of these tensors.
  for (auto &[tensor, boxes] : looked)
    addCapturePoints(*tensor, std::move(boxes), *capturePoints.captured.find(tensor->name()), memories,
                     capturePoints);
  return capturePoints;
}

Result<TensorMap> CapturePoints::capturedAsModel(const Program &program, InModelTypes which) const {
  TensorMap result;
  for (const NamedTensor &namedTensor : captured) {
    const proto::Tensor &placement =
        *std::ranges::find(program.metadata.tensors(), namedTensor.name, &proto::Tensor::name);
    Tensor tensor = namedTensor.tensor;
    if (which == InModelTypes::all || placement.role() == proto::OUTPUT) {
      TILERIG_TRY(tensor, fromStored(placement, namedTensor.tensor));
    }
    TILERIG_CHECK_OK(result.add(namedTensor.name, std::move(tensor)));
  }
  return cutToSizes(program, std::move(result), true);
}

} // namespace tilerig::emulator
