#include "compiler/Planning/Schedule/Dependencies.h"

#include "compiler/Planning/Schedule/Ancestors.h"
#include "compiler/Planning/Schedule/LiveBytes.h"
#include "isa/Instructions/Access.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

class Finder {
public:
  Finder(const TaskList &tasks, unsigned tiles, std::span<const ByteRange> constants, Redundancy redundancy)
      : tasks(tasks), engines(enginesOf(tasks)), constants(constants), redundancy(redundancy),
        memories(tiles + 1), place(tasks.size(), nowhere), ancestors(tasks.size()) {}

  Dependencies find() {
    result.first.push_back(0);
    for (uint32_t task = 0; task < tasks.size(); ++task) {
      if (engines[task] != noEngine)
        take(task);
      result.first.push_back(result.edges.size());
    }
    for (const LiveBytes &memory : memories)
      result.statistics.comparisons += memory.comparisons();
    return std::move(result);
  }

private:
  static constexpr uint32_t nowhere = UINT32_MAX;

  bool isConstant(const Access &access) const {
    if (access.memory != ddrMemory || access.kind == AccessKind::write)
      return false;
    const auto after = std::ranges::upper_bound(constants, access.region.begin, {},
                                                [](ByteRange range) { return range.begin; });
    return after != constants.begin() && std::prev(after)->end >= access.region.end;
  }

  // Returns a function that is called with an earlier task and records in `dependencies` that the current task
  // has a dependency of this kind on it. `dependencies` has at most one entry for each earlier task.
  auto adder(DependencyKind kind) {
    return [this, kind](uint32_t before) {
      if (place[before] >= dependencies.size() || dependencies[place[before]].before != before) {
        place[before] = static_cast<uint32_t>(dependencies.size());
        dependencies.push_back({before, 0});
      }
      dependencies[place[before]].kinds |= static_cast<uint8_t>(kind);
    };
  }

  void take(uint32_t task) {
    accesses.clear();
    appendAccesses(tasks[task].instruction, tasks[task].tile, accesses);
    std::erase_if(accesses, [&](const Access &access) { return isConstant(access); });
    result.statistics.accesses += accesses.size();
    shapeNumbers.clear();
    for (const Access &access : accesses)
      shapeNumbers.push_back(shapes.of(access.region));
    dependencies.clear();
    forEach(AccessKind::read, [&](const Access &access, LiveBytes &live, LiveBytes::Shape shape) {
      live.readWrites(access.region, shape, shapes, adder(DependencyKind::readAfterWrite));
    });
    forEach(AccessKind::write, [&](const Access &access, LiveBytes &live, LiveBytes::Shape shape) {
      live.overwriteReads(access.region, shape, shapes, adder(DependencyKind::writeAfterRead));
      live.overwriteWrites(access.region, shape, shapes, adder(DependencyKind::writeAfterWrite));
    });
    forEach(AccessKind::read, [&](const Access &access, LiveBytes &live, LiveBytes::Shape shape) {
      live.addRead(task, access.region, shape, shapes);
    });
    forEach(AccessKind::write, [&](const Access &access, LiveBytes &live, LiveBytes::Shape shape) {
      live.addWrite(task, access.region, shape, shapes);
    });
    keep(task);
  }

  template <class Visitor>
  void forEach(AccessKind kind, Visitor &&visit) {
    for (size_t i = 0; i < accesses.size(); ++i)
      if (accesses[i].kind == kind)
        visit(accesses[i], memories[accesses[i].memory], shapeNumbers[i]);
  }

  // Removes the dependencies of a task that follow from others. If the task depends on b, and b on a, the
  // task comes after a anyway. There is one exception: two transfers that are queued in order on one DMA
  // engine may overlap. So the dependency of a read on a write of its own DMA engine is always kept.
  void keep(uint32_t task) {
    std::ranges::sort(dependencies, std::greater(), &Dependency::before);
    result.statistics.total += dependencies.size();
    const size_t begin = result.edges.size();
    const bool thins = redundancy == Redundancy::removed;
    if (thins)
      ancestors.begin(task);
    for (const Dependency &dependency :
         // begins with the latest task, since its dependencies may imply those on earlier tasks
         dependencies) {
      const EngineId engine = engines[dependency.before];
      const bool ends = needsEnd(dependency, engine, engines[task]),
                 isOwnRead = engine == engines[task] && ends;
      const bool follows = thins && ancestors.comesAfter(task, dependency.before);
      if (thins && !follows)
        ancestors.add(task, dependency.before);
      if (!follows || isOwnRead) {
        result.edges.push_back(dependency);
      } else {
        ++result.statistics.thinned;
        result.statistics.thinnedEnds += ends;
        if (engine != engines[task] && isDma(engineOfId(engine)) && isDma(engineOfId(engines[task])))
          result.thinnedTransfers.emplace_back(dependency.before, task);
      }
    }
    std::reverse(result.edges.begin() + static_cast<std::ptrdiff_t>(begin), result.edges.end());
  }

  const TaskList &tasks;
  std::vector<EngineId> engines;
  std::span<const ByteRange> constants;
  Redundancy redundancy;
  std::vector<LiveBytes> memories;
  RegionShapes shapes;
  AccessList accesses;
  std::vector<LiveBytes::Shape> shapeNumbers; // the memory region of each access in `accesses`
  std::vector<Dependency> dependencies;       // dependencies of the task that is being added
  // for each earlier task, the index of its entry in `dependencies`
  std::vector<uint32_t> place;
  Ancestors ancestors;
  Dependencies result;
};

} // namespace

Dependencies findDependencies(const TaskList &tasks, unsigned tiles, std::span<const ByteRange> constants,
                              Redundancy redundancy) {
  return Finder(tasks, tiles, constants, redundancy).find();
}

} // namespace tilerig::compiler
