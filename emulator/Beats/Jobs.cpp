#include "emulator/Beats/Jobs.h"

#include "isa/Analyser/SelfOverlap.h"

#include <algorithm>

namespace tilerig::emulator {

std::vector<Job> jobsOf(const StageCosts &costs, const Timeline &timeline) {
  std::vector<Job> jobs;
  for (ThreadId thread = 0; thread < costs.threads.numThreads(); ++thread) {
    if (slotOf(thread) >= numThreadKinds || isDmaWrite(kindOf(thread)))
      continue;
    const auto &steps = costs.threads.stepsOf(thread);
    const ThreadId last = isDmaRead(kindOf(thread)) ? thread + 1 : thread;
    for (uint32_t i = 0; i < timeline.ended[last]; ++i)
      if (steps[i].accesses)
        jobs.push_back({thread, i + 1, steps[i].instruction, timeline.steps[thread][i].begin,
                        timeline.steps[last][i].begin, timeline.steps[last][i].end});
  }
  std::ranges::sort(jobs, {}, [](const Job &job) { return std::pair(job.begin, job.thread); });
  return jobs;
}

namespace {

// An instruction (job) that has begun, with its memory accesses.
struct Active {
  uint32_t job;
  AccessList accesses;
  TileSet ocms = 0; // tiles whose on-chip memory the instruction accesses
  bool ddr = false; // whether the instruction accesses DDR

  bool mayMeet(const Active &other) const { return (ocms & other.ocms) != 0 || (ddr && other.ddr); }
};

class Sweep {
public:
  Sweep(const Program &program, uint32_t stage, const std::vector<Disturbance> &disturbances,
        std::vector<Job> &jobs)
      : program(program), stage(stage), code(std::get<DeviceStage>(program.stages[stage].work).tiles),
        disturbances(disturbances), jobs(jobs) {}

  std::vector<Collision> run() {
    for (uint32_t index = 0; index < jobs.size(); ++index) {
      std::erase_if(active,
                    [&](const Active &activeJob) { return jobs[activeJob.job].end <= jobs[index].begin; });
      Active next{index, {}};
      appendAccesses(code[tileOfThread(jobs[index].thread)][jobs[index].instruction],
                     tileOfThread(jobs[index].thread), next.accesses);
      for (const Access &access : next.accesses)
        if (access.memory == ddrMemory)
          next.ddr = true;
        else
          next.ocms |= TileSet{1} << tileOf(access.memory);
      disturb(next);
      for (const Active &other : active)
        if (other.mayMeet(next))
          meet(other, next);
      active.push_back(std::move(next));
    }
    std::ranges::stable_sort(collisions, {}, &Collision::cycle);
    return std::move(collisions);
  }

private:
  void disturb(const Active &activeJob) {
    Job &job = jobs[activeJob.job];
    Report report(1);
    checkSelfOverlap(program, stage, tileOfThread(job.thread), job.instruction, activeJob.accesses, report);
    job.overlapsItself = !report.problems.empty();
    job.byBeats |= job.overlapsItself;
    for (auto one = std::ranges::lower_bound(disturbances, job.begin, {}, &Disturbance::cycle);
         one != disturbances.end() && one->cycle <= job.end; ++one)
      if (!one->isLook || (one->cycle > job.begin && one->cycle < job.end))
        for (const Access &access : activeJob.accesses)
          job.byBeats |= one->memory == access.memory && overlap(access.region, one->region);
  }

  // Decides that two jobs that overlap in time must run beat by beat (row by row) if they touch a common byte
  // and one of them writes that byte. A transfer counts as one interval, from the beginning of its read phase
  // to the end of its write phase, because a transfer that does not run beat by beat moves all of its data at
  // one point in time.
  void meet(const Active &first, const Active &second) {
    for (const Access &a : first.accesses)
      for (const Access &b : second.accesses) {
        if (a.memory != b.memory || (a.kind == AccessKind::read && b.kind == AccessKind::read) ||
            !overlap(a.region, b.region))
          continue;
        jobs[first.job].byBeats = jobs[second.job].byBeats = true;
        if (a.kind == AccessKind::write && b.kind == AccessKind::write)
          collide(first, second, a, b);
      }
  }
  void collide(const Active &first, const Active &second, const Access &a, const Access &b) {
    const Job &x = jobs[first.job], &y = jobs[second.job];
    if (x.writeBegin > y.writeBegin)
      return collide(second, first, b, a);
    const uint64_t begin = y.writeBegin;
    if (begin < x.end)
      collisions.push_back(
          {first.job, second.job, b.operand, begin, b.memory, *firstOverlap(a.region, b.region)});
  }

  const Program &program;
  uint32_t stage;
  const std::vector<std::vector<Instruction>> &code;
  const std::vector<Disturbance> &disturbances;
  std::vector<Job> &jobs;
  std::vector<Active> active;
  std::vector<Collision> collisions;
};

} // namespace

std::vector<Collision> findMeetings(const Program &program, uint32_t stage,
                                    std::vector<Disturbance> disturbances, std::vector<Job> &jobs) {
  std::ranges::stable_sort(disturbances, {}, &Disturbance::cycle);
  return Sweep(program, stage, disturbances, jobs).run();
}

} // namespace tilerig::emulator
