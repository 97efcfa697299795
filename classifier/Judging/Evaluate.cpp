#include "classifier/Judging/Evaluate.h"

#include "classifier/Training/Augment.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/Base/Support/Progress.h"
#include "verify/Verdict/Verdict.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace tilerig::classifier {

namespace {

Tensor planesOf(std::span<const uint8_t> cells) {
  constexpr auto side = static_cast<int64_t>(verify::evidenceSide);
  Tensor planes(DType::u8, {static_cast<int64_t>(cells.size() / numCells), side, side});
  std::ranges::copy(cells, planes.mutableAs<uint8_t>().begin());
  return planes;
}

verify::Evidence evidenceOf(const Rows &rows, size_t row, verify::FeatureNeed has) {
  const Changes changes = withoutMoreThan(has, rows.features(row));
  verify::Evidence evidence{planesOf(rows.channels(row)), planesOf(rows.picture(row)), changes.features};
  for (size_t i = 0; i < verify::numChannels; ++i)
    if (changes.missingChannels[i])
      std::ranges::fill(evidence.channels.mutableAs<uint8_t>().subspan(i * numCells, numCells), uint8_t{0});
  return evidence;
}

struct Task {
  size_t row = 0;
  verify::FeatureNeed has = verify::FeatureNeed::run;
  verify::Verdict verdict;
};

// Runs the classifier on the dataset row of each task, and stores its verdict in the task. Each thread loads
// its own copy of the classifier.
Status answerAll(const std::string &model, const Rows &rows, std::vector<Task> &tasks, unsigned threads) {
  std::mutex mutex;
  std::optional<Error> failed;
  Progress progress("evaluate", tasks.size());
  std::atomic<size_t> next = 0;
  const auto answerSome = [&]() -> Status {
    reference::Threads one(1);
    TILERIG_TRY(const verify::Classifier classifier, verify::Classifier::load(model, one));
    for (size_t i; (i = next++) < tasks.size();) {
      const verify::Evidence evidence = evidenceOf(rows, tasks[i].row, tasks[i].has);
      TILERIG_TRY(const verify::Scores scores, classifier.score(evidence));
      tasks[i].verdict = decide(scores, evidence.features);
      std::scoped_lock lock(mutex);
      progress.advance();
    }
    return success();
  };
  onThreads(threads, [&](unsigned) {
    if (Status status = answerSome(); !status) {
      std::scoped_lock lock(mutex);
      failed = status.error();
    }
  });
  return failed ? Status(*failed) : success();
}

// Whether a row of the dataset has all the measurements that `tilerig check` makes: its tensor was compared
// with the exactly expected tensor, and its program was analysed.
bool isOfACheck(const verify::Features &features) {
  using verify::Feature;
  return features[static_cast<size_t>(Feature::oracleKnown)] != 0 &&
         features[static_cast<size_t>(Feature::orderKnown)] != 0;
}

// Whether a row is as `tilerig classify --model` measures it: what the tensor should be is known exactly, but no program.
bool isOfDumpWithModel(const verify::Features &features) {
  using verify::Feature;
  return features[static_cast<size_t>(Feature::oracleKnown)] != 0 &&
         features[static_cast<size_t>(Feature::orderKnown)] == 0;
}

enum class Only : uint8_t { all, checks, dumpsWithModel };
struct PartOf {
  Part part;
  verify::FeatureNeed has;
  const char *name, *description;
  Only only = Only::all;
};
constexpr PartOf judgedParts[] = {
    {Part::unseenFamily, verify::FeatureNeed::run, "unseen_families",
     "networks of families that were never trained on"},
    {Part::unseenFamily, verify::FeatureNeed::run, "unseen_families_check",
     "families that were never trained on, only rows with all measurements of tilerig check", Only::checks},
    {Part::seen, verify::FeatureNeed::run, "in_distribution",
     "other networks of families that were trained on"},
    {Part::unseenPrecision, verify::FeatureNeed::run, "unseen_precision",
     "precisions that were never trained on"},
    {Part::unseenMachine, verify::FeatureNeed::run, "unseen_machine", "machines that were never trained on"},
    {Part::unseenTiles, verify::FeatureNeed::run, "unseen_tiles",
     "numbers of tiles that were never trained on"},
    {Part::unseenSite, verify::FeatureNeed::run, "unseen_site",
     "injection sites of bugs that were never trained on"},
    {Part::unseenFamily, verify::FeatureNeed::tensors, "unseen_families_two_dumps",
     "families that were never trained on, using only what two dumps of tensors show"},
    {Part::unseenFamily, verify::FeatureNeed::run, "unseen_families_dumps_with_model",
     "families that were never trained on, only rows as of tilerig classify --model", Only::dumpsWithModel},
    {Part::unknownJudging, verify::FeatureNeed::run, "unknown",
     "bugs that were never trained on, right if their true class is named"},
    {Part::unknownJudging, verify::FeatureNeed::run, "unknown_check",
     "bugs that were never trained on, only rows with all measurements of tilerig check", Only::checks},
};

struct Scored {
  std::vector<float> known, unknown;
  // Unknown scores of the rows with each held-out bug, by the bug's id. The unknown score is high if the
  // classifier does not recognise the bug.
  std::map<std::string, std::vector<float>> byBug;
  UnknownFigures figures;

  UnknownFigures finish() {
    for (const auto &[bug, scores] : byBug)
      figures.byBug[bug] = separationOf(known, scores);
    figures.separation = separationOf(std::move(known), std::move(unknown));
    return figures;
  }
};

class Judge {
public:
  Judge(const Card &card, const Rows &rows) : rows(rows) {
    for (size_t row = 0; row < rows.size(); ++row)
      byPart[static_cast<size_t>(card.split.partOf(rows.origin(row)))].push_back(row);
    for (const PartOf &of : judgedParts)
      judged.push_back(rowsOf(of));
  }

  std::vector<Task> tasks() const {
    std::vector<Task> all;
    for (size_t i = 0; i < std::size(judgedParts); ++i)
      for (size_t row : judged[i])
        all.push_back({row, judgedParts[i].has, {}});
    return all;
  }

  void judge(const std::vector<Task> &tasks, Evaluation &evaluation) const {
    size_t next = 0;
    Scored all, ofChecks;
    for (size_t i = 0; i < std::size(judgedParts); ++i) {
      const PartOf &of = judgedParts[i];
      const std::span part = std::span(tasks).subspan(next, judged[i].size());
      next += part.size();
      addPart(of, part, evaluation);
      if (of.has != verify::FeatureNeed::run)
        continue;
      if (of.only == Only::dumpsWithModel)
        continue;
      Scored &scored = of.only == Only::checks ? ofChecks : all;
      if (of.part == Part::unseenFamily)
        addScores(part, scored.known, scored.figures.knownRejected);
      if (of.part == Part::unknownJudging) {
        addScores(part, scored.unknown, scored.figures.unknownSaid);
        for (const Task &task : part)
          scored.byBug[rows.origin(task.row).bug].push_back(task.verdict.unknown);
      } else if (of.only == Only::all)
        addClean(part, evaluation.clean);
    }
    evaluation.unknown = all.finish();
    evaluation.unknownOfChecks = ofChecks.finish();
  }

private:
  std::vector<size_t> rowsOf(const PartOf &of) const {
    std::vector<size_t> some = byPart[static_cast<size_t>(of.part)];
    if (of.only == Only::checks)
      std::erase_if(some, [&](size_t row) { return !isOfACheck(rows.features(row)); });
    if (of.only == Only::dumpsWithModel)
      std::erase_if(some, [&](size_t row) { return !isOfDumpWithModel(rows.features(row)); });
    return some;
  }

  void addPart(const PartOf &of, std::span<const Task> part, Evaluation &evaluation) const {
    std::vector<Judged> judged;
    for (const Task &task : part) {
      const auto said = static_cast<size_t>(task.verdict.bugClass);
      judged.push_back({rows.bugClass(task.row), task.verdict.bugClass, task.verdict.probabilities[said]});
    }
    if (!judged.empty())
      evaluation.parts.push_back({of.name, of.description, figuresOf(judged)});
  }

  // Appends the unknown scores of those rows in one part of the dataset that have a bug, and counts the rows
  // that the classifier calls unknown.
  void addScores(std::span<const Task> part, std::vector<float> &scores, size_t &saidUnknown) const {
    for (const Task &task : part)
      if (rows.bugClass(task.row) != BugClass::noError) {
        scores.push_back(task.verdict.unknown);
        saidUnknown += task.verdict.answer == verify::Answer::unknown;
      }
  }

  void addClean(std::span<const Task> part, CleanFigures &clean) const {
    for (const Task &task : part)
      if (rows.bugClass(task.row) == BugClass::noError) {
        ++clean.rows;
        clean.calledWrong += task.verdict.bugClass != BugClass::noError;
      }
  }

  const Rows &rows;
  std::array<std::vector<size_t>, numParts> byPart;
  std::vector<std::vector<size_t>> judged; // indices of the dataset rows of each evaluated part
};

} // namespace

bool isJudged(const Card &card, const verify::Origin &origin) {
  const Part part = card.split.partOf(origin);
  return std::ranges::any_of(judgedParts, [&](const PartOf &of) { return of.part == part; });
}

Result<Evaluation> evaluate(const std::string &model, const Card &card, const Rows &rows, unsigned threads) {
  Evaluation evaluation{model, card, {}, {}, {}, {}, 0};
  const Judge judge(card, rows);
  std::vector<Task> tasks = judge.tasks();
  if (tasks.empty())
    return invalidInput(model, "the classifier was trained on all rows of this dataset",
                        "evaluate the classifier on another dataset");
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  TILERIG_CHECK_OK(answerAll(model, rows, tasks, threads));
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  evaluation.millisecondsPerRow = took.count() * threads / static_cast<double>(tasks.size());
  judge.judge(tasks, evaluation);
  return evaluation;
}

} // namespace tilerig::classifier
