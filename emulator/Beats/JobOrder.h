// Who writes to the memories in a stage that goes by beats, and in which order: as they end, by the index of
// jobs. Without a proof others may have written there too, at any time.
#pragma once

#include "emulator/Beats/Jobs.h"
#include "emulator/Observe/Replace.h"

namespace tilerig {

class JobOrder : public WriteOrder {
public:
  // Of all jobs of the stage, which stay where they are.
  JobOrder(const Program &program, uint32_t stage, const std::vector<Job> &jobs);

  std::vector<Moment> momentsOf(const std::vector<Watched> &pieces) const override;
  AccessList writesOf(uint32_t job) const override;

private:
  struct Writers {
    std::vector<uint32_t> own, others; // of its layer or of those before it; of those behind it
  };

  std::vector<Writers> writersOf(const std::vector<Watched> &pieces) const;
  bool endsBefore(uint32_t a, uint32_t b) const;
  bool meet(uint32_t a, uint32_t b, MemoryId memory) const;
  const Instruction &instructionOf(uint32_t job) const;

  const std::vector<std::vector<Instruction>> &code;
  const std::vector<Job> &jobs;
};

} // namespace tilerig
