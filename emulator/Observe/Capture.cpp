// Captures: copies of tensors out of the memories, in pieces small enough to be shared by threads.
#include "emulator/Memory/Box.h"
#include "emulator/Memory/Stored.h"
#include "emulator/Observe/Observation.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

namespace {

constexpr int64_t mostElements = 1 << 16; // of one task

// Cuts a box along its outermost dimension in memory, so that every part is as contiguous as the whole.
void cut(const Box &box, std::vector<Box> &parts) {
  size_t outermost = 0;
  for (size_t d = 1; d < box.extent.size(); ++d)
    if (box.extent[outermost] == 1 || (box.extent[d] > 1 && box.stride[d] > box.stride[outermost]))
      outermost = d;
  if (elementsOf(box) <= mostElements || box.extent[outermost] == 1) {
    parts.push_back(box);
    return;
  }
  const int64_t half = box.extent[outermost] / 2;
  Box low = box, high = box;
  low.extent[outermost] = half;
  high.extent[outermost] -= half;
  high.begin[outermost] += half;
  high.address += static_cast<uint64_t>(half) * box.stride[outermost];
  cut(low, parts);
  cut(high, parts);
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

class CaptureMaker {
public:
  CaptureMaker(const Program &program, const std::vector<StageTasks> &tasks, Memories &memories,
               Observers &observers)
      : program(program), tasks(tasks), memories(memories), observers(observers),
        watched(program.stages.size()), waiting(program.stages.size()) {}

  Status add(const proto::Tensor &tensor, std::vector<Box> boxes) {
    TRY(Tensor fresh, Tensor::make(storedDType(tensor), shapeOf(tensor)));
    CHECK_OK(observers.captured.add(tensor.name(), std::move(fresh)));
    Tensor &stored = *observers.captured.find(tensor.name());
    std::vector<Box> parts;
    for (const Box &box : boxes)
      cut(box, parts);
    const unsigned bytes = sizeBytes(storedTypeOf(tensor));
    for (const Box &part : parts) {
      StridedCopy copy = gathering(part, stored, memories);
      if (tensor.role() == proto::INPUT)
        observers.atBegin.push_back(std::move(copy));
      else if (tensor.role() == proto::OUTPUT)
        observers.atEnd.push_back(std::move(copy));
      else {
        watched[tensor.stage()].push_back({part.memory, regionsOf(part, bytes), tensor.layer()});
        waiting[tensor.stage()].push_back(std::move(copy));
      }
    }
    return success();
  }

  void finish() {
    for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
      const bool isDevice = std::holds_alternative<DeviceStage>(program.stages[stage].work);
      std::vector<Moment> moments(watched[stage].size());
      if (isDevice)
        moments = findMoments(program, stage, tasks[stage], watched[stage]);
      for (size_t i = 0; i < moments.size(); ++i)
        observers.stages[stage].looks.push_back({std::move(moments[i]), watched[stage][i].memory,
                                                 std::move(watched[stage][i].regions),
                                                 std::move(waiting[stage][i])});
    }
  }

private:
  const Program &program;
  const std::vector<StageTasks> &tasks;
  Memories &memories;
  Observers &observers;
  std::vector<std::vector<Watched>> watched; // by stage
  std::vector<std::vector<StridedCopy>> waiting;
};

} // namespace

Status addCaptures(const Program &program, const std::vector<StageTasks> &tasks,
                   const Observation &observation, Memories &memories, Observers &observers) {
  for (const std::string &name : observation.capture)
    CHECK_OK(findTensor(program, name, "capture of"));
  CaptureMaker maker(program, tasks, memories, observers);
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
      observers.missing.push_back(tensor.name());
      continue;
    }
    CHECK_OK(maker.add(tensor, std::move(boxes)));
  }
  maker.finish();
  return success();
}

} // namespace tilerig
