// RUN: smp-opt %s --smp-place --smp-lower --smp-stage | FileCheck %s

// The named pipelines, one after the other: from a graph to stages of groups.
// CHECK-LABEL: smp.entry @predict
// CHECK: smp.run @predict_0
// CHECK-LABEL: smp.stage @predict_0
// CHECK: smp.group loop
// CHECK-NOT: smp.relu
// CHECK: smp.max
// CHECK: smp.add
smp.entry @predict(%x: tensor<8xf32> {smp.name = "x"}) -> (tensor<8xf32> {smp.name = "y"}) {
  %r = smp.relu %x : tensor<8xf32>
  %y = smp.add %x, %r : tensor<8xf32>
  smp.return %y : tensor<8xf32>
}
