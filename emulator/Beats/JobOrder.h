// The order of memory writes in a stage that runs beat by beat (row by row): jobs (instructions that touch
// memory) are ordered by the time at which they end, then by index. In a program that is not proved free of
// races, jobs may write to the same bytes at the same time.
#pragma once

#include "emulator/Beats/Jobs.h"
#include "emulator/Observe/Replace.h"

namespace tilerig::emulator {

class JobOrder : public WriteOrder {
public:
  // `jobs` lists all instructions of the stage that access memory. The list is not copied, so it must outlive
  // this object.
  JobOrder(const Program &program, uint32_t stage, const std::vector<Job> &jobs);

  std::vector<Completion> completionsOf(const std::vector<TensorPiece> &pieces) const override;
  AccessList writesOf(uint32_t job) const override;

private:
  struct Writers {
    // The instructions (jobs) that write to the bytes of a piece of a tensor: `own` lists those that produce
    // the piece, `others` those that overwrite it later.
    std::vector<uint32_t> own, others;
  };

  std::vector<Writers> writersOf(const std::vector<TensorPiece> &pieces) const;
  bool endsBefore(uint32_t a, uint32_t b) const;
  bool meet(uint32_t a, uint32_t b, MemoryId memory) const;
  const Instruction &instructionOf(uint32_t job) const;

  const std::vector<std::vector<Instruction>> &code;
  const std::vector<Job> &jobs;
};

} // namespace tilerig::emulator
