#include "compiler/Graph/Transforms/RecurrentCells.h"

namespace tilerig::compiler {

namespace {

using Gates = llvm::SmallVector<int64_t>; // gates by their numbers in ONNX, in the order wanted here

constexpr size_t gateAxis = 1;

// What the three kinds of cells have in common.
class PlainCell : public Cell {
public:
  // `numGates` counts the gates that the weights have.
  PlainCell(const Recurrence &layer, ElementBuilder &to, int64_t numGates)
      : layer(layer), to(to), numGates(numGates) {}

protected:
  // The weights of some gates: axes directions, gates, hidden units, depth.
  mlir::Value byGate(mlir::Value weights, const Gates &gates) {
    const int64_t depth = graph::shapeOf(weights)[2];
    return pick(to.reshape(weights, {layer.directions(), numGates, layer.hidden, depth}), gates);
  }
  // The product of inputs and weights: axes directions, gates, rows, hidden units.
  mlir::Value inputProduct(mlir::Value rows, const Gates &gates) {
    return to.product(rows, to.transpose(byGate(layer.weights, gates), {0, 1, 3, 2}));
  }
  // The weights of the recurrence of some gates, for addProduct().
  mlir::Value factor(const Gates &gates) {
    const mlir::Value weights = byGate(layer.recurrence, gates);
    return layer.hasColumns() ? weights : to.transpose(weights, {0, 1, 3, 2});
  }
  // The biases of the input products (`which` is 0) or of the recurrent products (1) of some gates: axes
  // directions, gates, 1, hidden units.
  mlir::Value bias(int64_t which, const Gates &gates) {
    const mlir::Value half =
        to.slice(layer.bias, 1, which * numGates * layer.hidden, numGates * layer.hidden);
    return pick(to.reshape(half, {layer.directions(), numGates, 1, layer.hidden}), gates);
  }
  mlir::Value sumOfBiases(const Gates &gates) { return to.add(bias(0, gates), bias(1, gates)); }

  mlir::Value gate(mlir::Value gates, int64_t first, int64_t count = 1) {
    return to.slice(gates, gateAxis, first, count);
  }
  mlir::Value pick(mlir::Value gates, const Gates &wanted) {
    llvm::SmallVector<mlir::Value> parts;
    for (size_t i = 0; i < wanted.size();) {
      size_t end = i + 1; // gates with consecutive numbers are one slice
      while (end < wanted.size() && wanted[end] == wanted[end - 1] + 1)
        ++end;
      parts.push_back(gate(gates, wanted[i], static_cast<int64_t>(end - i)));
      i = end;
    }
    return to.concat(parts, gateAxis);
  }

  // Applies activation function `index` of each direction.
  mlir::Value apply(size_t index, mlir::Value value) {
    const size_t perDirection = layer.functions.size() / static_cast<size_t>(layer.directions());
    const CellFunction &first = layer.functions[index];
    if (layer.directions() == 1 || layer.functions[perDirection + index] == first)
      return compiler::apply(first, value, to);
    const mlir::Value both[] = {
        compiler::apply(first, to.slice(value, 0, 0, 1), to),
        compiler::apply(layer.functions[perDirection + index], to.slice(value, 0, 1, 1), to)};
    return to.concat(both, 0);
  }
  // Clips the sums of gates, if the layer does so, and applies an activation function.
  mlir::Value activate(size_t index, mlir::Value sums) {
    return apply(index, layer.clip > 0 ? to.clip(sums, -layer.clip, layer.clip) : sums);
  }

  // The sum of `products` and of the product of a state and weights.
  mlir::Value addProduct(mlir::Value products, mlir::Value state, mlir::Value factor) {
    if (!state)
      return products;
    return to.add(layer.hasColumns() ? to.product(factor, state) : to.product(state, factor), products);
  }

  const Recurrence &layer;
  ElementBuilder &to;
  int64_t numGates;
};

// h' = f(x W + h R + Wb + Rb)
class RnnCell : public PlainCell {
public:
  RnnCell(const Recurrence &layer, ElementBuilder &to) : PlainCell(layer, to, 1), recurrence(factor({0})) {}

  mlir::Value inputProducts(mlir::Value rows) override {
    const mlir::Value products = inputProduct(rows, {0});
    return layer.bias ? to.add(products, sumOfBiases({0})) : products;
  }
  CellState step(const CellState &before, mlir::Value products) override {
    return {activate(0, addProduct(products, before.hidden, recurrence)), {}};
  }

private:
  mlir::Value recurrence;
};

// z, r = f(x W + h R + Wb + Rb), h' = (1 - z) n + z h, computed as n + z (h - n), where
// n = g(x W + (r h) R + Wb + Rb), or g(x W + Wb + r (h R + Rb)) with linearBeforeReset.
//
// With linearBeforeReset, one product has all gates, and its addend has the input products of z and r, and Rb of
// n. So inputProducts() then has four gates: z, r, Rb of n, and x W + Wb of n.
class GruCell : public PlainCell {
public:
  GruCell(const Recurrence &layer, ElementBuilder &to) : PlainCell(layer, to, 3) {
    recurrence = factor(layer.linearBeforeReset ? Gates{0, 1, 2} : Gates{0, 1});
    if (!layer.linearBeforeReset)
      candidate = factor({2});
  }

  mlir::Value inputProducts(mlir::Value rows) override {
    mlir::Value products = inputProduct(rows, {0, 1, 2});
    if (!layer.linearBeforeReset)
      return layer.bias ? to.add(products, sumOfBiases({0, 1, 2})) : products;
    mlir::Value ofProduct = to.number(0, products);
    if (layer.bias) {
      const mlir::Value biases[] = {sumOfBiases({0, 1}), bias(0, {2})};
      products = to.add(products, to.concat(biases, gateAxis));
      ofProduct = bias(1, {2});
    }
    ElementBuilder::Dims shape(graph::shapeOf(products));
    shape[gateAxis] = 1;
    const mlir::Value parts[] = {gate(products, 0, 2), to.expand(ofProduct, shape), gate(products, 2)};
    return to.concat(parts, gateAxis);
  }

  CellState step(const CellState &before, mlir::Value products) override {
    const mlir::Value h = before.hidden;
    const bool isJoint = layer.linearBeforeReset;
    const mlir::Value sums = addProduct(gate(products, 0, isJoint ? 3 : 2), h, recurrence),
                      zr = activate(0, gate(sums, 0, 2)), z = gate(zr, 0), r = gate(zr, 1),
                      fromInput = gate(products, isJoint ? 3 : 2);
    const mlir::Value n = activate(1, isJoint ? to.add(to.multiply(r, gate(sums, 2)), fromInput)
                                              : addProduct(fromInput, h ? to.multiply(r, h) : h, candidate));
    return {h ? to.add(to.multiply(z, to.subtract(h, n)), n) : to.subtract(n, to.multiply(z, n)), {}};
  }

private:
  mlir::Value recurrence, candidate;
};

// i, f = F(x W + h R + P c + Wb + Rb), n = G(x W + h R + Wb + Rb), c' = f c + i n,
// o = F(x W + h R + P c' + Wb + Rb), h' = o H(c'); with inputForget, f = 1 - i
class LstmCell : public PlainCell {
public:
  LstmCell(const Recurrence &layer, ElementBuilder &to)
      : PlainCell(layer, to, 4), gates(layer.inputForget ? Gates{0, 1, 3} : Gates{0, 2, 1, 3}),
        recurrence(factor(gates)) {
    if (!layer.peepholes)
      return;
    const mlir::Value all = to.reshape(
        layer.peepholes, layer.hasColumns() ? ElementBuilder::Dims{layer.directions(), 3, layer.hidden, 1}
                                            : ElementBuilder::Dims{layer.directions(), 3, 1, layer.hidden});
    ofCell = pick(all, layer.inputForget ? Gates{0} : Gates{0, 2});
    ofOutput = pick(all, {1});
  }

  mlir::Value inputProducts(mlir::Value rows) override {
    const mlir::Value products = inputProduct(rows, gates);
    return layer.bias ? to.add(products, sumOfBiases(gates)) : products;
  }

  CellState step(const CellState &before, mlir::Value products) override {
    const mlir::Value sums = addProduct(products, before.hidden, recurrence), c = before.cell;
    // The first gates are i and f, or only i; then come o and n.
    const int64_t first = layer.inputForget ? 1 : 2;
    mlir::Value early, o;
    if (layer.peepholes) {
      early = activate(0, withPeephole(gate(sums, 0, first), c, ofCell));
    } else {
      const mlir::Value all = activate(0, gate(sums, 0, first + 1));
      early = gate(all, 0, first);
      o = gate(all, first);
    }
    const mlir::Value i = gate(early, 0), n = activate(1, gate(sums, first + 1));
    mlir::Value cell = to.multiply(i, n);
    if (c)
      cell =
          to.add(to.multiply(layer.inputForget ? to.subtract(to.number(1, i), i) : gate(early, 1), c), cell);
    if (layer.peepholes)
      o = activate(0, withPeephole(gate(sums, first), cell, ofOutput));
    return {to.multiply(o, apply(2, cell)), cell};
  }

private:
  mlir::Value withPeephole(mlir::Value sums, mlir::Value cell, mlir::Value weights) {
    return cell ? to.add(sums, to.multiply(weights, cell)) : sums;
  }

  Gates gates;
  mlir::Value recurrence, ofCell, ofOutput; // ofCell, ofOutput: peephole weights of the early gates, and of o
};

} // namespace

std::unique_ptr<Cell> lstmCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<LstmCell>(layer, to);
}
std::unique_ptr<Cell> gruCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<GruCell>(layer, to);
}
std::unique_ptr<Cell> rnnCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<RnnCell>(layer, to);
}

} // namespace tilerig::compiler
