// Tests of RNN, GRU and LSTM against their equations, one sequence and element at a time, over random
// attributes.
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::Random;
using Texts = std::vector<std::string>;
using Floats = std::vector<float>;
using Row = std::vector<double>;

struct Activation {
  std::string name;
  double alpha = 0, beta = 0;

  double operator()(double x) const {
    if (name == "Tanh")
      return std::tanh(x);
    if (name == "Sigmoid")
      return 1 / (1 + std::exp(-x));
    if (name == "Relu")
      return std::max(0.0, x);
    if (name == "Softsign")
      return x / (1 + std::abs(x));
    if (name == "HardSigmoid")
      return std::min(std::max(alpha * x + beta, 0.0), 1.0);
    if (name == "LeakyRelu")
      return x >= 0 ? x : alpha * x;
    if (name == "ScaledTanh")
      return alpha * std::tanh(beta * x);
    if (name == "Affine")
      return alpha * x + beta;
    if (name == "Elu")
      return x >= 0 ? x : alpha * (std::exp(x) - 1);
    if (name == "ThresholdedRelu")
      return x > alpha ? x : 0;
    return std::log(1 + std::exp(x)); // Softplus
  }
};

// A node with random attributes and tensors, stored as plain numbers for the equations.
struct RecurrentCase {
  std::string op;
  int64_t gates, steps, batch, inputs, hidden, directions;
  bool batchFirst, backwards, hasBias, hasLengths, hasHidden, hasCell, hasPeephole, special;
  std::optional<float> clip;
  // Activation functions of the first direction, then those of the second.
  std::vector<Activation> activations;
  size_t perDirection;
  std::vector<int64_t> lengths;
  Row x, w, r, b, h, c, p;

  bool isLstm() const { return op == "LSTM"; }
};

Row randomRow(Random &random, int64_t size) {
  Row row(static_cast<size_t>(size));
  for (double &value : row) // exact in float
    value = static_cast<double>(random.between(-64, 64)) / 64;
  return row;
}

Activation randomActivation(Random &random) {
  Activation a{random.pick<std::string>({"Tanh", "Sigmoid", "Relu", "Softsign", "HardSigmoid", "LeakyRelu",
                                         "ScaledTanh", "Affine", "Elu", "ThresholdedRelu", "Softplus"})};
  a.alpha = static_cast<double>(random.between(1, 8)) / 16;
  a.beta = static_cast<double>(random.between(1, 8)) / 16;
  return a;
}

RecurrentCase randomCase(Random &random, const std::string &op) {
  RecurrentCase k;
  k.op = op;
  k.gates = op == "RNN" ? 1 : op == "GRU" ? 3 : 4;
  k.steps = random.between(1, 5), k.batch = random.between(1, 3);
  k.inputs = random.between(1, 4), k.hidden = random.between(1, 5), k.directions = random.between(1, 2);
  k.batchFirst = random.chance(50), k.backwards = k.directions == 1 && random.chance(50);
  k.hasBias = random.chance(70), k.hasLengths = random.chance(50), k.hasHidden = random.chance(50);
  k.hasCell = k.isLstm() && random.chance(50), k.hasPeephole = k.isLstm() && random.chance(50);
  k.special = random.chance(50); // linear_before_reset or input_forget
  if (random.chance(30))
    k.clip = 0.75f;
  k.perDirection = op == "RNN" ? 1 : op == "GRU" ? 2 : 3;
  bool named = random.chance(60);
  for (size_t i = 0; i < k.perDirection * static_cast<size_t>(k.directions); ++i)
    k.activations.push_back(named ? randomActivation(random)
                                  : Activation{op != "RNN" && i % k.perDirection == 0 ? "Sigmoid" : "Tanh"});
  for (int64_t i = 0; i < k.batch; ++i)
    k.lengths.push_back(k.hasLengths ? random.between(0, k.steps) : k.steps);
  k.x = randomRow(random, k.steps * k.batch * k.inputs);
  k.w = randomRow(random, k.directions * k.gates * k.hidden * k.inputs);
  k.r = randomRow(random, k.directions * k.gates * k.hidden * k.hidden);
  k.b = k.hasBias ? randomRow(random, k.directions * 2 * k.gates * k.hidden)
                  : Row(static_cast<size_t>(k.directions * 2 * k.gates * k.hidden));
  int64_t state = k.directions * k.batch * k.hidden;
  k.h = k.hasHidden ? randomRow(random, state) : Row(static_cast<size_t>(state));
  k.c = k.hasCell ? randomRow(random, state) : Row(static_cast<size_t>(state));
  k.p = k.hasPeephole ? randomRow(random, k.directions * 3 * k.hidden)
                      : Row(static_cast<size_t>(k.directions * 3 * k.hidden));
  return k;
}

bool usesParameter(const std::string &name, bool alpha) {
  bool both = name == "HardSigmoid" || name == "ScaledTanh" || name == "Affine";
  return both || (alpha && (name == "LeakyRelu" || name == "Elu" || name == "ThresholdedRelu"));
}

SingleOp nodeOf(const RecurrentCase &k) {
  SingleOp node{k.op, {{"hidden_size", k.hidden}, {"layout", int64_t{k.batchFirst}}}};
  node.outputs = k.isLstm() ? 3 : 2;
  node.attributes["direction"] = std::string(k.directions == 2 ? "bidirectional"
                                             : k.backwards     ? "reverse"
                                                               : "forward");
  if (k.clip)
    node.attributes["clip"] = *k.clip;
  if (k.op != "RNN")
    node.attributes[k.isLstm() ? "input_forget" : "linear_before_reset"] = int64_t{k.special};
  Texts names;
  Floats alphas, betas;
  for (const Activation &activation : k.activations) {
    names.push_back(activation.name);
    if (usesParameter(activation.name, true))
      alphas.push_back(static_cast<float>(activation.alpha));
    if (usesParameter(activation.name, false))
      betas.push_back(static_cast<float>(activation.beta));
  }
  node.attributes["activations"] = names;
  node.attributes["activation_alpha"] = alphas;
  node.attributes["activation_beta"] = betas;
  for (auto [index, there] : {std::pair{3, k.hasBias}, {4, k.hasLengths}, {5, k.hasHidden}})
    if (!there)
      node.missing.push_back(static_cast<size_t>(index));
  if (k.isLstm() && !k.hasCell)
    node.missing.push_back(6);
  if (k.isLstm() && !k.hasPeephole)
    node.missing.push_back(7);
  return node;
}

template <class T>
Tensor tensorOf(const Row &row, Shape shape) {
  Tensor tensor(dtypeOf<T>, std::move(shape));
  auto to = tensor.mutableAs<T>();
  EXPECT_EQ(to.size(), row.size());
  std::copy(row.begin(), row.end(), to.begin());
  return tensor;
}

template <class T>
std::vector<Tensor> inputsOf(const RecurrentCase &k) {
  Shape state =
      k.batchFirst ? Shape{k.batch, k.directions, k.hidden} : Shape{k.directions, k.batch, k.hidden};
  Tensor lengths(DType::i32, {k.batch});
  std::copy(k.lengths.begin(), k.lengths.end(), lengths.mutableAs<int32_t>().begin());
  std::vector<Tensor> inputs{
      tensorOf<T>(k.x, k.batchFirst ? Shape{k.batch, k.steps, k.inputs} : Shape{k.steps, k.batch, k.inputs}),
      tensorOf<T>(k.w, {k.directions, k.gates * k.hidden, k.inputs}),
      tensorOf<T>(k.r, {k.directions, k.gates * k.hidden, k.hidden}),
      tensorOf<T>(k.b, {k.directions, 2 * k.gates * k.hidden}),
      lengths,
      tensorOf<T>(k.h, state)};
  if (k.isLstm()) {
    inputs.push_back(tensorOf<T>(k.c, state));
    inputs.push_back(tensorOf<T>(k.p, {k.directions, 3 * k.hidden}));
  }
  return inputs;
}

// Evaluates the equations of one direction of one sequence.
class Sequence {
public:
  Sequence(const RecurrentCase &k, int64_t direction, int64_t sequence)
      : k(k), direction(direction), sequence(sequence), h(initial(k.h)), c(initial(k.c)) {}

  void step(int64_t at) {
    time = at;
    if (k.op == "RNN")
      h = all(0, 0, h, [](int64_t) { return 0.0; });
    else if (k.op == "GRU")
      stepGru();
    else
      stepLstm();
  }

private:
  int64_t xRow() const { return k.batchFirst ? sequence * k.steps + time : time * k.batch + sequence; }
  Row initial(const Row &states) const {
    int64_t row = k.batchFirst ? sequence * k.directions + direction : direction * k.batch + sequence;
    return Row(states.begin() + row * k.hidden, states.begin() + (row + 1) * k.hidden);
  }

  // Contributions of the input and of `state` to unit `i` of a gate, each with its bias.
  double fromInput(int64_t gate, int64_t i) const {
    int64_t row = gate * k.hidden + i;
    double sum = k.b[direction * 2 * k.gates * k.hidden + row];
    for (int64_t j = 0; j < k.inputs; ++j)
      sum += k.x[xRow() * k.inputs + j] * k.w[(direction * k.gates * k.hidden + row) * k.inputs + j];
    return sum;
  }
  double fromState(int64_t gate, int64_t i, const Row &state) const {
    int64_t row = gate * k.hidden + i;
    double sum = k.b[(direction * 2 + 1) * k.gates * k.hidden + row];
    for (int64_t j = 0; j < k.hidden; ++j)
      sum += state[j] * k.r[(direction * k.gates * k.hidden + row) * k.hidden + j];
    return sum;
  }

  double activate(size_t which, double x) const {
    if (k.clip)
      x = std::min<double>(std::max<double>(x, -*k.clip), *k.clip);
    return k.activations[static_cast<size_t>(direction) * k.perDirection + which](x);
  }
  template <class More>
  Row all(int64_t gate, size_t activation, const Row &state, More more) const {
    Row result;
    for (int64_t i = 0; i < k.hidden; ++i)
      result.push_back(activate(activation, fromInput(gate, i) + fromState(gate, i, state) + more(i)));
    return result;
  }

  void stepGru() {
    auto none = [](int64_t) { return 0.0; };
    Row z = all(0, 0, h, none), r = all(1, 0, h, none), reset = h, next;
    for (int64_t i = 0; i < k.hidden; ++i)
      reset[i] *= r[i];
    for (int64_t i = 0; i < k.hidden; ++i) {
      double sum = k.special ? r[i] * fromState(2, i, h) : fromState(2, i, reset);
      next.push_back((1 - z[i]) * activate(1, fromInput(2, i) + sum) + z[i] * h[i]);
    }
    h = next;
  }

  void stepLstm() {
    auto peep = [&](int64_t which, const Row &cell) {
      return
          [this, which, &cell](int64_t i) { return k.p[(direction * 3 + which) * k.hidden + i] * cell[i]; };
    };
    Row input = all(0, 0, h, peep(0, c)), forget = all(2, 0, h, peep(2, c)), next;
    Row candidate = all(3, 1, h, [](int64_t) { return 0.0; });
    for (int64_t i = 0; i < k.hidden; ++i)
      next.push_back((k.special ? 1 - input[i] : forget[i]) * c[i] + input[i] * candidate[i]);
    Row output = all(1, 0, h, peep(1, next));
    for (int64_t i = 0; i < k.hidden; ++i)
      h[i] = output[i] * k.activations[static_cast<size_t>(direction) * k.perDirection + 2](next[i]);
    c = next;
  }

  const RecurrentCase &k;
  int64_t direction, sequence, time = 0;

public:
  Row h, c;
};

struct Expected {
  Row y, h, c;
};

Expected expectedOf(const RecurrentCase &k) {
  Expected expected{Row(static_cast<size_t>(k.steps * k.directions * k.batch * k.hidden)),
                    Row(static_cast<size_t>(k.directions * k.batch * k.hidden)),
                    {}};
  expected.c = expected.h;
  for (int64_t d = 0; d < k.directions; ++d)
    for (int64_t s = 0; s < k.batch; ++s) {
      Sequence sequence(k, d, s);
      for (int64_t step = 0; step < k.lengths[s]; ++step) {
        int64_t time = k.backwards || d == 1 ? k.lengths[s] - 1 - step : step;
        sequence.step(time);
        int64_t row =
            k.batchFirst ? (s * k.steps + time) * k.directions + d : (time * k.directions + d) * k.batch + s;
        std::copy(sequence.h.begin(), sequence.h.end(), expected.y.begin() + row * k.hidden);
      }
      int64_t row = k.batchFirst ? s * k.directions + d : d * k.batch + s;
      std::copy(sequence.h.begin(), sequence.h.end(), expected.h.begin() + row * k.hidden);
      std::copy(sequence.c.begin(), sequence.c.end(), expected.c.begin() + row * k.hidden);
    }
  return expected;
}

template <class T>
void expectNear(const Tensor &got, const Row &wanted, Shape shape, double tolerance) {
  ASSERT_EQ(got.shape(), shape);
  auto elements = got.as<T>();
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(elements[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "element " << i;
}

template <class T>
void expectEquations(const std::string &op, uint64_t seed, double tolerance) {
  Random random(seed);
  RecurrentCase k = randomCase(random, op);
  SingleOp node = nodeOf(k);
  auto results = node.run(inputsOf<T>(k));
  ASSERT_TRUE(results) << results.error().message();
  Expected expected = expectedOf(k);
  Shape state =
      k.batchFirst ? Shape{k.batch, k.directions, k.hidden} : Shape{k.directions, k.batch, k.hidden};
  expectNear<T>((*results)[0], expected.y,
                k.batchFirst ? Shape{k.batch, k.steps, k.directions, k.hidden}
                             : Shape{k.steps, k.directions, k.batch, k.hidden},
                tolerance);
  expectNear<T>((*results)[1], expected.h, state, tolerance);
  if (k.isLstm())
    expectNear<T>((*results)[2], expected.c, state, tolerance);
  node.threads = 3;
  auto again = node.run(inputsOf<T>(k));
  ASSERT_TRUE(again);
  for (size_t i = 0; i < results->size(); ++i)
    EXPECT_TRUE(identical((*results)[i], (*again)[i]));
}

class Recurrent : public testing::TestWithParam<const char *> {};

// The results of a recurrent node agree with its equations: in double up to a rounding error; in float,
// rounding errors may accumulate over five steps.
TEST_P(Recurrent, FollowsItsEquations) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    expectEquations<double>(GetParam(), seed, 1e-12);
    expectEquations<float>(GetParam(), seed, 2e-4);
  }
}

// A valid recurrent node and its inputs. The tests make it invalid by one change each, after which it must be
// refused.
struct SoundNode {
  SingleOp op;
  std::vector<Tensor> inputs;
};
SoundNode soundNode(const std::string &op) {
  int64_t gates = op == "RNN" ? 1 : op == "GRU" ? 3 : 4;
  auto zeros = [](Shape shape) { return Tensor(DType::f32, std::move(shape)); };
  SoundNode node{{op, {{"hidden_size", int64_t{3}}}},
                 {zeros({4, 2, 5}), zeros({1, gates * 3, 5}), zeros({1, gates * 3, 3}),
                  zeros({1, 2 * gates * 3}), Tensor::of<int32_t>({2}, {4, 1}), zeros({1, 2, 3})}};
  if (op == "LSTM")
    node.inputs.insert(node.inputs.end(), {zeros({1, 2, 3}), zeros({1, 9})});
  return node;
}

TEST_P(Recurrent, RefusesTensorsThatDoNotFit) {
  ASSERT_TRUE(soundNode(GetParam()).op.run(soundNode(GetParam()).inputs));
  for (size_t i = 0; i < soundNode(GetParam()).inputs.size(); ++i) {
    SCOPED_TRACE(i);
    SoundNode node = soundNode(GetParam());
    Shape shape = node.inputs[i].shape();
    shape.back() += 1;
    node.inputs[i] = Tensor(node.inputs[i].dtype(), shape);
    EXPECT_FALSE(node.op.run(node.inputs));
    shape.back() -= 1;
    node.inputs[i] = Tensor(DType::f64, shape);
    EXPECT_FALSE(node.op.run(node.inputs));
    shape.push_back(1);
    node.inputs[i] = Tensor(soundNode(GetParam()).inputs[i].dtype(), shape);
    EXPECT_EQ(static_cast<bool>(node.op.run(node.inputs)), i == 4) << "lengths may be of any rank";
  }
}

TEST_P(Recurrent, RefusesLengthsOutsideTheSequence) {
  for (int32_t length : {-1, 5}) {
    SoundNode node = soundNode(GetParam());
    node.inputs[4] = Tensor::of<int32_t>({2}, {4, length});
    EXPECT_FALSE(node.op.run(node.inputs));
  }
}

TEST_P(Recurrent, RefusesAttributesThatMeanNothing) {
  const std::pair<const char *, Attribute> wrong[] = {{"direction", std::string("sideways")},
                                                      {"direction", std::string("bidirectional")},
                                                      {"layout", int64_t{2}},
                                                      {"hidden_size", int64_t{4}},
                                                      {"clip", -1.0f},
                                                      {"clip", std::nanf("")},
                                                      {"activations", Texts{"Tanh", "Tanh", "Tanh", "Tanh"}},
                                                      {"activation_alpha", Floats{0.5f}},
                                                      {"activation_beta", Floats{0.5f}}};
  for (const auto &[name, value] : wrong) {
    SCOPED_TRACE(name);
    SoundNode node = soundNode(GetParam());
    node.op.attributes.insert_or_assign(name, value);
    EXPECT_FALSE(node.op.run(node.inputs));
  }
  SoundNode node = soundNode(GetParam());
  node.op.attributes["activations"] = Texts(std::string(GetParam()) == "RNN"   ? 1
                                            : std::string(GetParam()) == "GRU" ? 2
                                                                               : 3,
                                            "Sine");
  EXPECT_FALSE(node.op.run(node.inputs));
}

TEST_P(Recurrent, RefusesAHiddenStateOfNothing) {
  SoundNode node = soundNode(GetParam());
  node.op.attributes["hidden_size"] = int64_t{0};
  // An RNN with a huge number of time steps, whose inputs have no elements. It must be refused without
  // spending memory or time for each step.
  int64_t huge = int64_t{1} << 50;
  node.inputs = {Tensor(DType::f32, {huge, 1, 0}), Tensor(DType::f32, {1, 0, 0}),
                 Tensor(DType::f32, {1, 0, 0})};
  EXPECT_FALSE(node.op.run(node.inputs));
}

INSTANTIATE_TEST_SUITE_P(All, Recurrent, testing::Values("RNN", "GRU", "LSTM"),
                         [](const auto &info) { return std::string(info.param); });

// Each activation receives its own parameters. Expected values were computed with ONNX Runtime 1.30.
TEST(Lstm, ParametersGoToTheActivationsThatUseThem) {
  SingleOp node{"LSTM",
                {{"hidden_size", int64_t{2}},
                 {"activations", Texts{"HardSigmoid", "LeakyRelu", "Affine"}},
                 {"activation_alpha", Floats{0.3f, 0.1f, 0.7f}},
                 {"activation_beta", Floats{0.25f}}}};
  Row recurrence;
  for (int i = 0; i < 16; ++i)
    recurrence.push_back((i % 5 - 2) / 4.0);
  auto results = node.run({Tensor::of<float>({2, 1, 1}, {1, 2}),
                           Tensor::of<float>({1, 8, 1}, {1, 2, 0.3f, 0.4f, 0.5f, 0.6f, 3, 4}),
                           tensorOf<float>(recurrence, {1, 8, 2})});
  ASSERT_TRUE(results) << results.error().message();
  expectNear<float>((*results)[0],
                    {0.39270004630088806, 0.8806000351905823, 1.4196867942810059, 3.032085418701172},
                    {2, 1, 1, 2}, 1e-6);
}

} // namespace
} // namespace tilerig::reference
