// RUN: not smp-opt %s "--smp-emit-kernels=level=v9" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not smp-opt %s "--smp-emit-kernels=target=abacus" 2>&1 | FileCheck %s --check-prefix=TARGET

// LEVEL: error: target cpu has no level 'v9'; it has v2 v3 v4
// TARGET: error: there is no target 'abacus'; there is cpu, cuda
smp.entry @f(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  smp.return %x : tensor<4xf32>
}
