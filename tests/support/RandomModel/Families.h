// The families of operators of which random ONNX models are made.
//
// Each function adds one operator, or a block of a few operators that belong together, to a graph. It adds
// nothing if the drawn operator does not fit.
#pragma once

#include "tests/support/RandomModel/Graph.h"

namespace tilerig::test {

// Convolutions and pools, in Windows.cpp
void addConvolution(RandomGraph &graph);
void addTransposedConvolution(RandomGraph &graph);
void addPool(RandomGraph &graph);
void addGlobalPool(RandomGraph &graph);
// Matrix products, in Products.cpp
void addGemm(RandomGraph &graph);
void addMatMul(RandomGraph &graph);
void addProductOfValues(RandomGraph &graph);
// Normalisations and softmax, in Normalisations.cpp
void addBatchNorm(RandomGraph &graph);
void addInstanceNorm(RandomGraph &graph);
void addLayerNorm(RandomGraph &graph);
void addLocalNorm(RandomGraph &graph);
void addSoftmax(RandomGraph &graph);
// Elementwise operators, in Elementwise.cpp
void addUnary(RandomGraph &graph);
void addParametric(RandomGraph &graph);
void addBinary(RandomGraph &graph);
void addJoin(RandomGraph &graph);
void addClip(RandomGraph &graph);
void addComparison(RandomGraph &graph);
void addChoice(RandomGraph &graph);
void addNoise(RandomGraph &graph);
// Operators that move elements, in Movement.cpp
void addReshape(RandomGraph &graph);
void addTranspose(RandomGraph &graph);
void addConcat(RandomGraph &graph);
void addSlice(RandomGraph &graph);
void addSplit(RandomGraph &graph);
void addPad(RandomGraph &graph);
void addRepeat(RandomGraph &graph);
void addGather(RandomGraph &graph);
void addBlocksOfPixels(RandomGraph &graph);
// Reductions, in Reductions.cpp
void addReduction(RandomGraph &graph);
void addExtremePosition(RandomGraph &graph);
// Blocks of layers, in Blocks.cpp
void addConvolutionBlock(RandomGraph &graph);
void addResidualBlock(RandomGraph &graph);
void addSqueezeAndExcite(RandomGraph &graph);
void addUpsampling(RandomGraph &graph);
void addChannelShuffle(RandomGraph &graph);
void addTransposeSandwich(RandomGraph &graph);
void addAttention(RandomGraph &graph);
// Functions written as several operators, in Patterns.cpp
void addGeluPattern(RandomGraph &graph);
void addSiluPattern(RandomGraph &graph);
void addHardSwishPattern(RandomGraph &graph);
void addLayerNormPattern(RandomGraph &graph);
void addGroupNormPattern(RandomGraph &graph);
// Computed shapes and tables, in Shapes.cpp
void addFlattenByShape(RandomGraph &graph);
void addExpandByShape(RandomGraph &graph);
void addConstantTable(RandomGraph &graph);

} // namespace tilerig::test
