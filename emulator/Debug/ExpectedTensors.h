// The tensors that a program should compute, as a reference gives them, and the first element of a run that differs from them.
#pragma once

#include "emulator/Beats/ValueReplay.h"
#include "emulator/Debug/Location.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::emulator {

// An element of a tensor that is not what it should be. The bytes of a NaN do not matter.
struct Difference {
  const proto::Tensor *tensor = nullptr;
  std::vector<int64_t> position; // of the element in the tensor
  Location location;
  double computed = 0, expected = 0; // as they are stored
  // The instruction that wrote the element last, an index into ValueReplay::instructions(); none if no instruction of the
  // stage did.
  std::optional<uint32_t> job;
};

class ExpectedTensors {
public:
  ExpectedTensors() = default;
  // Takes the tensors that the program keeps; others are of no use. They have the types of the model or those in which the
  // program stores them.
  static Result<ExpectedTensors> of(const Program &program, const TensorMap &expected);

  bool empty() const { return tensors.empty(); }
  size_t size() const { return tensors.size(); }

  // The names of the tensors that the program keeps as a whole.
  std::vector<std::string> namesOfWholeTensors() const;
  // Those that differ from computed tensors, which have the stored types; tensors that were not computed do not.
  ExpectedTensors thatDiffer(const TensorMap &computed) const;
  // Whether there is a tensor of the stage.
  bool has(uint32_t stage) const;
  // Of the elements of a stage that differ from computed tensors, the one that was written first: by the instruction that
  // ended first. Of a tensor none of whose layer's instructions had ended by then, no element is looked at. `jobs` is null
  // for a host stage; `memories` gives the addresses, and is not read.
  std::optional<Difference> earliest(const Program &program, uint32_t stage, const std::vector<Job> *jobs,
                                     const TensorMap &computed, Memories &memories) const;

  // What is to be compared in a device stage, or (if `jobs` is null) in a host stage. Each element is compared right after
  // the last instruction that writes it.
  void enterStage(const Program &program, uint32_t stage, const std::vector<Job> *jobs, Memories &memories);
  // The first element that differs after an instruction; none: of those that are complete without any.
  std::optional<Difference> firstDifference(std::optional<uint32_t> job, const Memories &memories) const;

private:
  struct Comparison {
    const Replacement *expected;
    Change change;
  };
  using Comparisons = std::multimap<std::optional<uint32_t>, Comparison>;
  static Comparisons comparisonsOf(const Program &program, const std::vector<const Replacement *> &ofStage,
                                   const std::vector<Job> *jobs, Memories &memories);
  // Compares with the elements in memory or, if it is given, of a computed tensor.
  static std::optional<Difference> differenceOf(const Comparison &comparison, const Memories &memories,
                                                const Tensor *computed);

  // By stage and name; a deque, because comparisons point into it.
  std::deque<Replacement> tensors;
  Comparisons comparisons;
};

} // namespace tilerig::emulator
