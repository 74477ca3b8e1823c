// Ops become groups, each one kernel.
// RUN: smp-opt %s --smp-form-groups | FileCheck %s

// Elementwise ops and the reductions of their rows are one kernel, which copies
// the splat.
// CHECK-LABEL: smp.entry @rows
// CHECK-NEXT: %[[G:.*]] = smp.group row(%{{.*}}) {smp.placement = #smp.placement<1, user>}
// CHECK: smp.exp
// CHECK: smp.reduce sum
// CHECK: smp.broadcast
// CHECK: smp.div
// CHECK: smp.return
// CHECK-NOT: smp.group
// CHECK: smp.return %[[G]]
smp.entry @rows(%x: tensor<4x8xf32> {smp.name = "x"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %e = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4x8xf32>
  %s = smp.reduce sum %e {smp.placement = #smp.placement<1, user>, dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = smp.broadcast %s {smp.placement = #smp.placement<1, user>, dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %y = smp.div %e, %b {smp.placement = #smp.placement<1, user>} : tensor<4x8xf32>
  smp.return %y : tensor<4x8xf32>
}

// Never across placements.
// CHECK-LABEL: smp.entry @placements
// CHECK: smp.group loop({{.*}}) {smp.placement = #smp.placement<0, user>}
// CHECK: smp.exp
// CHECK: smp.group loop({{.*}}) {smp.placement = #smp.placement<1, solver>}
// CHECK: smp.neg
smp.entry @placements(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %e = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %y = smp.neg %e {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// Not into a cycle: what needs both ends of a chain waits for it.
// CHECK-LABEL: smp.entry @cycle
// CHECK: %[[A:.*]] = smp.group loop
// CHECK: smp.abs
// CHECK: %[[S:.*]] = smp.group scan(%[[A]])
// CHECK: %[[Y:.*]] = smp.group loop({{.*}}%[[S]]
// CHECK: smp.return %[[Y]]
smp.entry @cycle(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.abs %x {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %s = smp.scan sum %a {smp.placement = #smp.placement<0, solver>, axis = 0 : i64} : tensor<4xf32>
  %y = smp.add %a, %s {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// A concat copies memory: the splat before it becomes a tensor.
// CHECK-LABEL: smp.entry @memory
// CHECK: %[[B:.*]] = smp.group loop() {{.*}}-> tensor<2xf32>
// CHECK: smp.constant
// CHECK: smp.group concat({{.*}}, %[[B]])
smp.entry @memory(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "y"}) {
  %b = smp.constant dense<3.0> : tensor<2xf32> {smp.placement = #smp.placement<0, solver>}
  %y = smp.concat %x, %b {smp.placement = #smp.placement<0, solver>, axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  smp.return %y : tensor<6xf32>
}

// Elements of 64 bits halve a row kernel's lanes: they stay out of sums of
// others, whose order would change.
// CHECK-LABEL: smp.entry @wide
// CHECK: smp.group row(%{{.*}}) : (tensor<8x16xf32>) -> tensor<8xf32>
// CHECK: smp.group loop(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf64>
smp.entry @wide(%x: tensor<8x16xf32> {smp.name = "x"}) -> (tensor<8xf64> {smp.name = "y"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<8x16xf32>) -> tensor<8xf32>
  %y = smp.convert %s : tensor<8xf32> to tensor<8xf64>
  smp.return %y : tensor<8xf64>
}

// No kernel belongs to two phases of a step.
// CHECK-LABEL: smp.entry @phases
// CHECK: smp.group loop(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: smp.group loop(%{{.*}}) {smp.unit = #smp.unit<backward_input>} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NOT: smp.group
smp.entry @phases(%x: tensor<8xf32> {smp.name = "x"}) -> (tensor<8xf32> {smp.name = "y"})
    attributes {smp.microbatches = 1 : i64} {
  %e = smp.exp %x : tensor<8xf32>
  %n = smp.neg %e {smp.unit = #smp.unit<backward_input>} : tensor<8xf32>
  %l = smp.log %n {smp.unit = #smp.unit<backward_weight>} : tensor<8xf32>
  smp.return %l : tensor<8xf32>
}
