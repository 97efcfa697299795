#include "classifier/Training/Learn.h"

#include "classifier/Models/TorchLayers.h"
#include "classifier/Training/FeatureScales.h"
#include "classifier/Training/LeastSquares.h"
#include "classifier/Training/Mixtures.h"
#include "classifier/Training/Optimiser.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Tensor/Npz.h"

#include <bit>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::classifier {

namespace {

constexpr double labelSmoothing = 0.05;
constexpr double mixturesPerRow = 0.25;
constexpr size_t rowsAtOnce = 128; // batch size for inference

torch::Tensor planesOf(size_t count, int64_t planes) {
  constexpr auto side = static_cast<int64_t>(verify::evidenceSide);
  return torch::empty({static_cast<int64_t>(count), planes, side, side}, torch::kUInt8);
}

// Copies rows of the dataset, or mixtures of two rows, into a batch.
class Gather {
public:
  Gather(const Rows &rows, size_t count)
      : rows(rows), channels(planesOf(count, verify::numChannels)),
        picture(planesOf(count, verify::picturePlanes)),
        features(torch::empty({static_cast<int64_t>(count), static_cast<int64_t>(verify::numFeatures)})) {}

  void put(size_t i, size_t row, const Changes &changes) { put(i, {row, row, changes}); }
  void put(size_t i, const Mixture &of) {
    for (size_t channel = 0; channel < verify::numChannels; ++channel) {
      uint8_t *cells = channels.data_ptr<uint8_t>() + i * channelBytes + channel * numCells;
      if (of.changes.missingChannels[channel])
        std::fill_n(cells, numCells, uint8_t{0});
      else
        std::ranges::copy(
            rows.channels(of.ofSecond[channel] ? of.second : of.first).subspan(channel * numCells, numCells),
            cells);
    }
    std::ranges::copy(rows.picture(of.first), picture.data_ptr<uint8_t>() + i * pictureBytes);
    std::ranges::copy(of.changes.features, features.data_ptr<float>() + i * verify::numFeatures);
  }
  Batch batch() const {
    return {channels.to(torch::kFloat32).mul_(1.0f / 255), picture.to(torch::kFloat32).mul_(1.0f / 255),
            features};
  }

private:
  const Rows &rows;
  torch::Tensor channels, picture, features;
};

// A batch of unchanged rows, without augmentation.
Batch batchOf(const Rows &rows, std::span<const size_t> which) {
  Gather gather(rows, which.size());
  for (size_t i = 0; i < which.size(); ++i)
    gather.put(i, which[i], {{}, rows.features(which[i])});
  return gather.batch();
}

torch::Tensor labelsOf(const Rows &rows, std::span<const size_t> which, Labels labels) {
  torch::Tensor all = torch::empty({static_cast<int64_t>(which.size())}, torch::kInt64);
  for (size_t i = 0; i < which.size(); ++i)
    all.data_ptr<int64_t>()[i] = static_cast<int64_t>(labels.of(rows.bugClass(which[i])));
  return all;
}

// The weight of each class in the loss: the inverse square root of its relative frequency.
torch::Tensor weightsOf(const Rows &rows, const Indices &training, Labels labels) {
  std::vector<double> counts(labels.count());
  for (size_t row : training)
    ++counts[labels.of(rows.bugClass(row))];
  torch::Tensor weights = torch::ones({static_cast<int64_t>(labels.count())});
  const double mean = static_cast<double>(training.size()) / static_cast<double>(labels.count());
  for (size_t i = 0; i < labels.count(); ++i)
    weights.data_ptr<float>()[i] = static_cast<float>(std::sqrt(mean / std::max(counts[i], 1.0)));
  return weights;
}

// Sets the values of a parameter that is computed instead of trained, if the model has this parameter.
void setFixed(Parameters &parameters, const std::string &name, const std::vector<float> &numbers) {
  if (const auto entry = parameters.fixed.find(name); entry != parameters.fixed.end())
    std::ranges::copy(numbers, entry->second.data_ptr<float>());
}

void standardiseFeatures(const Rows &rows, const Indices &training, Parameters &parameters) {
  const FeatureScales scales = scalesOf(rows, training);
  setFixed(parameters, "features.mean", scales.mean);
  setFixed(parameters, "features.factor", scales.factor);
  setFixed(parameters, "hinges.mean", scales.hinges);
  setFixed(parameters, "hinges.factor", scales.hingeFactor);
}

struct Tensors {
  torch::Tensor embedding, logits;
  torch::Tensor mixed; // logit that a row is a mixture of two rows; undefined if the network learns none
};
Tensors run(const ModelKind &kind, Labels labels, Parameters &parameters, Batch batch, bool training) {
  TorchLayers layers(parameters, std::move(batch), training);
  const Heads heads = kind.build(layers, static_cast<int64_t>(labels.count()));
  return {layers[heads.embedding], layers[heads.logits],
          heads.mixed ? layers[*heads.mixed] : torch::Tensor()};
}

// Initial parameters: runs the network once, so that its layers create them.
Parameters begin(const ModelKind &kind, Labels labels, const Rows &rows, const Indices &training,
                 uint64_t seed) {
  torch::manual_seed(seed);
  torch::NoGradGuard noGradients;
  Parameters parameters;
  const size_t any[] = {training.front()};
  run(kind, labels, parameters, batchOf(rows, any), false);
  standardiseFeatures(rows, training, parameters);
  return parameters;
}

torch::Tensor lossOf(const torch::Tensor &logits, const torch::Tensor &classes, const torch::Tensor &weights,
                     double smoothing) {
  return torch::cross_entropy_loss(logits, classes, weights, at::Reduction::Mean, /*ignore_index=*/-100,
                                   smoothing);
}

template <class Visit>
void inChunks(const Indices &which, size_t size, const Visit &visit) {
  for (size_t i = 0; i < which.size(); i += size)
    visit(std::span(which).subspan(i, std::min(size, which.size() - i)));
}

class Learner {
public:
  Learner(const ModelKind &kind, const Rows &rows, const Indices &training, const Indices &checking,
          const LearnOptions &options)
      : kind(kind), rows(rows), training(training), checking(checking), options(options),
        chance(options.seed), parameters(begin(kind, options.labels, rows, training, options.seed)),
        learnsMixtures(parameters.learned.contains("mixed.weight")),
        weights(weightsOf(rows, training, options.labels)),
        stepsPerEpoch((training.size() + options.batch - 1) / options.batch),
        optimiser(parameters, options.rate, stepsPerEpoch * options.epochs) {}

  Result<Learned> learn(const VisitEpoch &visit) {
    if (options.resume)
      TILERIG_CHECK_OK(resume());
    Progress progress("train", stepsPerEpoch * (options.epochs - epochs.size()));
    while (epochs.size() < options.epochs) {
      const double loss = learnEpoch(progress);
      TILERIG_CHECK_OK(finishEpoch(loss, visit));
    }
    return Learned{parameters.asTensors(), epochs};
  }

  Result<Learned> fit(const VisitEpoch &visit) {
    LeastSquares squares(options.labels.count());
    {
      torch::NoGradGuard noGradients;
      inChunks(training, rowsAtOnce, [&](std::span<const size_t> chunk) {
        const Tensor embedding =
            fromTorch(run(kind, options.labels, parameters, batchOf(rows, chunk), false).embedding);
        for (size_t i = 0; i < chunk.size(); ++i) {
          const size_t label = options.labels.of(rows.bugClass(chunk[i]));
          const size_t width = embedding.elementCount() / chunk.size();
          squares.add(embedding.as<float>().subspan(i * width, width), label,
                      weights.data_ptr<float>()[label]);
        }
      });
      const LeastSquares::Plane plane = squares.solve();
      std::ranges::copy(plane.weight, parameters.learned.at("logits.weight").data_ptr<float>());
      std::ranges::copy(plane.bias, parameters.learned.at("logits.bias").data_ptr<float>());
    }
    TILERIG_CHECK_OK(finishEpoch(0, visit));
    return Learned{parameters.asTensors(), epochs};
  }

private:
  double learnEpoch(Progress &progress) {
    const Chance ofEpoch = chance.of(epochs.size());
    Indices order = ofEpoch.of(0).order(training.size());
    for (size_t &place : order)
      place = training[place];
    double sum = 0;
    uint64_t step = 0;
    inChunks(order, options.batch, [&](std::span<const size_t> chunk) {
      torch::manual_seed(ofEpoch.of(1).of(step).bits()); // seed of the random numbers for dropout
      const torch::Tensor loss = lossOfStep(chunk, ofEpoch, step++);
      loss.backward();
      optimiser.step();
      sum += loss.item<double>() * static_cast<double>(chunk.size());
      progress.advance();
    });
    return sum / static_cast<double>(training.size());
  }

  // The loss of one training step: over a batch of rows, and over some mixtures of training rows, which form
  // an additional, last class.
  torch::Tensor lossOfStep(std::span<const size_t> chunk, const Chance &ofEpoch, uint64_t step) {
    const auto mixtures = learnsMixtures ? static_cast<size_t>(mixturesPerRow * double(chunk.size())) : 0;
    Gather gather(rows, chunk.size() + mixtures);
    for (size_t i = 0; i < chunk.size(); ++i)
      gather.put(i, chunk[i], augment(rows.features(chunk[i]), ofEpoch.of(2).of(chunk[i])));
    for (size_t i = 0; i < mixtures; ++i)
      gather.put(chunk.size() + i, drawMixture(rows, training, ofEpoch.of(3).of(step).of(i)));
    const Tensors said = run(kind, options.labels, parameters, gather.batch(), true);
    const torch::Tensor labels = labelsOf(rows, chunk, options.labels);
    if (!learnsMixtures)
      return lossOf(said.logits, labels, weights, labelSmoothing);
    return lossOf(
        torch::cat({said.logits, said.mixed}, 1),
        torch::cat({labels, torch::full({static_cast<int64_t>(mixtures)},
                                        static_cast<int64_t>(options.labels.count()), torch::kInt64)}),
        torch::cat({weights, torch::ones({1})}), labelSmoothing);
  }

  Status finishEpoch(double loss, const VisitEpoch &visit) {
    epochs.push_back(check(loss));
    if (!options.checkpoint.empty() && !kind.closedForm)
      TILERIG_CHECK_OK(writeCheckpoint());
    if (visit)
      visit(epochs.size(), epochs.back());
    return success();
  }

  EpochFigures check(double loss) {
    torch::NoGradGuard noGradients;
    EpochFigures figures{loss, 0, 0};
    inChunks(checking, rowsAtOnce, [&](std::span<const size_t> chunk) {
      const torch::Tensor logits = run(kind, options.labels, parameters, batchOf(rows, chunk), false).logits;
      const torch::Tensor labels = labelsOf(rows, chunk, options.labels);
      figures.checkingLoss +=
          lossOf(logits, labels, {}, 0).item<double>() * static_cast<double>(chunk.size());
      figures.checkingAccuracy += (logits.argmax(1) == labels).sum().item<double>();
    });
    const auto count = static_cast<double>(std::max<size_t>(checking.size(), 1));
    figures.checkingLoss /= count, figures.checkingAccuracy /= count;
    return figures;
  }

  // The options that must be the same in a checkpoint, so that training can be resumed from it.
  Tensor identity() const {
    const std::optional<BugClass> alone = options.labels.alone();
    return Tensor::of<uint64_t>({6}, {options.seed, options.epochs, training.size(), options.batch,
                                      std::bit_cast<uint64_t>(options.rate),
                                      alone ? 1 + static_cast<uint64_t>(*alone) : 0});
  }

  Status writeCheckpoint() const {
    TensorMap state = parameters.asTensors();
    optimiser.addTo(state);
    TILERIG_CHECK_OK(state.add("identity", identity()));
    Tensor history(DType::f64, {static_cast<int64_t>(epochs.size()), 3});
    double *out = history.mutableAs<double>().data();
    for (const EpochFigures &figures : epochs) {
      *out++ = figures.trainingLoss;
      *out++ = figures.checkingLoss;
      *out++ = figures.checkingAccuracy;
    }
    TILERIG_CHECK_OK(state.add("history", std::move(history)));
    return writeNpz(options.checkpoint, state);
  }

  Status resume() {
    TILERIG_TRY(const TensorMap state, readNpz(options.checkpoint));
    TILERIG_TRY(const Tensor *same, state.get("identity"));
    if (!identical(*same, identity()))
      return invalidInput(options.checkpoint,
                          "the checkpoint has other rows, classes, seed, batch, rate or number of epochs",
                          "resume with the original options, or train again without --resume");
    TILERIG_CHECK_OK(parameters.take(state, options.checkpoint));
    TILERIG_TRY(const Tensor *history, state.get("history"));
    TILERIG_TRY(const std::span<const double> figures, history->tryAs<double>());
    for (size_t i = 0; i + 2 < figures.size(); i += 3)
      epochs.push_back({figures[i], figures[i + 1], figures[i + 2]});
    return optimiser.take(state, epochs.size() * stepsPerEpoch, options.checkpoint);
  }

  const ModelKind &kind;
  const Rows &rows;
  const Indices &training, &checking;
  const LearnOptions &options;
  const Chance chance;
  Parameters parameters;
  const bool learnsMixtures;
  const torch::Tensor weights;
  const size_t stepsPerEpoch;
  Optimiser optimiser;
  std::vector<EpochFigures> epochs;
};

} // namespace

Result<Learned> learn(const ModelKind &kind, const Rows &rows, const Indices &training,
                      const Indices &checking, const LearnOptions &options, const VisitEpoch &visit) {
  if (training.empty())
    return invalidInput("the dataset", "no row is left to train on", "hold out fewer rows with --held-out");
  at::set_num_threads(static_cast<int>(options.threads));
  Learner learner(kind, rows, training, checking, options);
  return kind.closedForm ? learner.fit(visit) : learner.learn(visit);
}

Result<Answers> answer(const ModelKind &kind, const TensorMap &tensors, const Rows &rows,
                       const Indices &which, unsigned threads, Labels labels) {
  Answers answers;
  if (which.empty())
    return answers;
  at::set_num_threads(static_cast<int>(threads));
  torch::NoGradGuard noGradients;
  Parameters parameters = begin(kind, labels, rows, which, 0);
  TILERIG_CHECK_OK(parameters.take(tensors, "the parameters"));
  auto append = [](const torch::Tensor &from, std::vector<float> &to) {
    const Tensor numbers = fromTorch(from);
    to.insert(to.end(), numbers.as<float>().begin(), numbers.as<float>().end());
  };
  inChunks(which, rowsAtOnce, [&](std::span<const size_t> chunk) {
    const Tensors tensors = run(kind, labels, parameters, batchOf(rows, chunk), false);
    append(tensors.embedding, answers.embedding);
    append(tensors.logits, answers.logits);
    if (tensors.mixed.defined())
      append(tensors.mixed, answers.mixed);
  });
  answers.embeddingWidth = answers.embedding.size() / which.size();
  answers.numLabels = labels.count();
  return answers;
}

} // namespace tilerig::classifier
