// RUN: smp-opt %s --split-input-file --smp-plan-memory -verify-diagnostics

smp.stage @whole(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{is of strategy whole, which target 'cpu' has no kernels for; run --smp-decompose before groups are formed}}
  %0 = smp.group whole(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.gelu %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return %0 : tensor<4xf32>
}

// -----

// Packed for no more than it holds.
smp.stage @pack(%b: tensor<1x8x20xf32>) -> tensor<160xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{has a packed operand 'tensor<160xf32>' where target 'cpu' needs 'tensor<256xf32>'}}
  %0 = smp.group pack(%b) : (tensor<1x8x20xf32>) -> tensor<160xf32> {
  ^bb0(%0: tensor<1x8x20xf32>):
    %1 = smp.pack %0 : (tensor<1x8x20xf32>) -> tensor<160xf32>
    smp.return %1 : tensor<160xf32>
  }
  smp.return %0 : tensor<160xf32>
}

// -----

smp.stage @product(%a: tensor<4x8xf32>, %p: tensor<160xf32>) -> tensor<4x20xf32> attributes {partition = 0 : i64} {
  // expected-error @+1 {{has a packed operand 'tensor<160xf32>' where target 'cpu' needs 'tensor<256xf32>'}}
  %0 = smp.group product(%a, %p) : (tensor<4x8xf32>, tensor<160xf32>) -> tensor<4x20xf32> {
  ^bb0(%0: tensor<4x8xf32>, %1: tensor<160xf32>):
    %2 = smp.packed_matmul %0, %1 {columns = 20 : i64} : (tensor<4x8xf32>, tensor<160xf32>) -> tensor<4x20xf32>
    smp.return %2 : tensor<4x20xf32>
  }
  smp.return %0 : tensor<4x20xf32>
}

// -----

module attributes {smp.partitions = 2 : i64, smp.targets = [#smp.target<"cpu">, #smp.target<"abacus">]} {
smp.stage @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 1 : i64} {
  // expected-error @+1 {{there is no target 'abacus'; there is cpu, cuda}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%0: tensor<4xf32>):
    %1 = smp.exp %0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return %0 : tensor<4xf32>
}
}

// -----

smp.stage @across(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<1x10xf64>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{takes statistics in a loop that does not go through its elements in order; leave that to --smp-join-statistics}}
  %0:2 = smp.group loop(%x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<4x4xf32>):
    %t = smp.transpose %a {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = smp.statistics %a : (tensor<4x4xf32>) -> tensor<1x10xf64>
    smp.return %t, %s : tensor<4x4xf32>, tensor<1x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<4x4xf32>, tensor<1x10xf64>
}

// -----

smp.stage @stretched(%x: tensor<8x49xf32>, %c: tensor<8xf32>) -> (tensor<8x49xf32>, tensor<1x10xf64>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{takes statistics in a loop that does not go through its elements in order; leave that to --smp-join-statistics}}
  %0:2 = smp.group loop(%x, %c) : (tensor<8x49xf32>, tensor<8xf32>) -> (tensor<8x49xf32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<8x49xf32>, %b: tensor<8xf32>):
    %wide = smp.broadcast %b {dimensions = array<i64: 0>} : tensor<8xf32> to tensor<8x49xf32>
    %t = smp.add %a, %wide : tensor<8x49xf32>
    %s = smp.statistics %t : (tensor<8x49xf32>) -> tensor<1x10xf64>
    smp.return %t, %s : tensor<8x49xf32>, tensor<1x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<8x49xf32>, tensor<1x10xf64>
}

// -----

smp.stage @scalar(%x: tensor<f32>) -> (tensor<f32>, tensor<1x10xf64>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{takes statistics in a loop that does not go through its elements in order; leave that to --smp-join-statistics}}
  %0:2 = smp.group loop(%x) : (tensor<f32>) -> (tensor<f32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<f32>):
    %t = smp.neg %a : tensor<f32>
    %s = smp.statistics %t : (tensor<f32>) -> tensor<1x10xf64>
    smp.return %t, %s : tensor<f32>, tensor<1x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<f32>, tensor<1x10xf64>
}
