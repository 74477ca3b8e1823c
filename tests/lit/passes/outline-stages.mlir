// Placed entries become stages: few of them, in an order without waiting.
// RUN: smp-opt %s --smp-stage --split-input-file --verify-names | FileCheck %s

module attributes {smp.partitions = 3 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>

// CHECK-LABEL: smp.entry @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32> {smp.name = "x"}
// CHECK-NEXT: %[[A:.*]]:2 = smp.run @chain_0(%[[X]]) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[T:.*]] = smp.transfer %[[A]]#0 to 2
// CHECK-NEXT: %[[B:.*]] = smp.run @chain_1(%[[T]], %[[X]]) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: smp.return %[[A]]#1, %[[B]], %[[X]]
// CHECK-LABEL: smp.stage @chain_0
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {partition = 0 : i64}
// CHECK-NEXT: %[[E:.*]] = smp.exp %[[X]]
// CHECK-NEXT: %[[L:.*]] = smp.log %[[E]]
// CHECK-NEXT: smp.return %[[E]], %[[L]]
// CHECK-LABEL: smp.stage @chain_1
// CHECK-SAME: (%[[E:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 2 : i64}
// CHECK-NEXT: %[[W:.*]] = smp.read @w
// CHECK-NEXT: %[[M:.*]] = smp.mul %[[E]], %[[W]]
// CHECK-NEXT: %[[Y:.*]] = smp.add %[[M]], %[[X]]
// CHECK-NEXT: smp.return %[[Y]]
smp.entry @chain(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "l"},
    tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "same"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<2, propagated>}
  %e = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("e")
  %m = smp.mul %e, %w {smp.placement = #smp.placement<2, user>} : tensor<4xf32> loc("m")
  %l = smp.log %e {smp.placement = #smp.placement<0, solver>} : tensor<4xf32> loc("l")
  %y = smp.add %m, %x {smp.placement = #smp.placement<2, user>} : tensor<4xf32> loc("y")
  smp.return %l, %y, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
}

// -----

// Pins against the order: 1 before 0, and 0 twice. The read is in both stages
// that use it.
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @back_and_forth
// CHECK-NEXT: %[[A:.*]] = smp.run @back_and_forth_0
// CHECK-NEXT: %[[AT:.*]] = smp.transfer %[[A]] to 1
// CHECK-NEXT: %[[B:.*]] = smp.run @back_and_forth_1(%[[AT]])
// CHECK-NEXT: %[[BT:.*]] = smp.transfer %[[B]] to 0
// CHECK-NEXT: %[[C:.*]] = smp.run @back_and_forth_2(%[[BT]], %[[A]])
// CHECK-NEXT: smp.return %[[C]]
// CHECK: smp.stage @back_and_forth_0{{.*}} attributes {partition = 0 : i64}
// CHECK-NEXT: smp.read @w
// CHECK: smp.stage @back_and_forth_1{{.*}} attributes {partition = 1 : i64}
// CHECK-NOT: smp.read
// CHECK: smp.stage @back_and_forth_2{{.*}} attributes {partition = 0 : i64}
// CHECK-NEXT: smp.read @w
smp.entry @back_and_forth(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %a = smp.mul %x, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.exp %a {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %c = smp.mul %b, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %d = smp.add %c, %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.return %d : tensor<4xf32>
}
}

// -----

// Ops that need nothing from elsewhere join a later stage of their partition;
// two partitions that need each other's results do not become a cycle.
module attributes {smp.partitions = 2 : i64} {
// CHECK-LABEL: smp.entry @merge
// CHECK-COUNT-2: smp.run
// CHECK-NOT: smp.run
// CHECK: smp.return
smp.entry @merge(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.log %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %c = smp.add %a, %b {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %c : tensor<4xf32>
}

// CHECK-LABEL: smp.entry @crossed
// CHECK: %[[A:.*]] = smp.run @crossed_0
// CHECK: %[[B:.*]]:2 = smp.run @crossed_1(
// CHECK: %[[D:.*]] = smp.run @crossed_2
// CHECK-NOT: smp.run
// CHECK: smp.return
smp.entry @crossed(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "z"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.log %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %c = smp.add %a, %b {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %d = smp.mul %a, %b {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.return %c, %d : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// Groups are ops like others; what is prepared is read where it is used; a read
// or a constant that is a result is made by a stage; names that are taken.
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.stage @groups_1() -> tensor<4xf32> attributes {partition = 1 : i64, unit = #smp.unit<prepare>} {
  %w = smp.read @w : tensor<4xf32>
  smp.return %w : tensor<4xf32>
}
// CHECK-LABEL: smp.entry @groups
// CHECK: smp.run @groups_0
// CHECK: smp.run @[[SECOND:groups_1_[0-9]+]]
// CHECK: smp.stage @groups_0() -> tensor<4xf32> attributes {partition = 0 : i64}
// CHECK-NEXT: %[[R:.*]] = smp.read @w
// CHECK-NEXT: smp.return %[[R]]
// CHECK: smp.stage @[[SECOND]](%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 1 : i64}
// CHECK-NEXT: %[[P:.*]] = smp.prepared @groups_1[0]
// CHECK-NEXT: %[[G:.*]] = smp.group loop(%[[X]], %[[P]])
// CHECK: smp.add
// CHECK: smp.return %[[G]]
smp.entry @groups(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "weights"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %p = smp.prepared @groups_1[0] {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  %g = smp.group loop(%x, %p) {smp.placement = #smp.placement<1, user>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = smp.add %a, %b : tensor<4xf32>
    smp.return %0 : tensor<4xf32>
  }
  smp.return %g, %w : tensor<4xf32>, tensor<4xf32>
}

// An entry without ops has no stages.
// CHECK-LABEL: smp.entry @nothing
// CHECK-NEXT: smp.return
smp.entry @nothing() {
  smp.return
}
}

// -----

// An assignment is in a stage; nothing leaves it.
module attributes {smp.partitions = 2 : i64} {
smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @counter
// CHECK-NEXT: smp.run @counter_0(%{{.*}}) : (tensor<4xf32>) -> ()
// CHECK-NEXT: smp.return
// CHECK: smp.stage @counter_0
// CHECK: smp.assign @count
smp.entry @counter(%x: tensor<4xf32> {smp.name = "x"}) {
  %c = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  %n = smp.add %x, %c {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.assign @count, %n : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  smp.return
}
}

// -----

// What the state becomes waits for another partition: what reads it does too,
// so that all of a microbatch is in one stage.
module attributes {smp.partitions = 2 : i64} {
smp.variable @s state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @aligned
// CHECK: %[[M:.*]] = smp.run @aligned_0
// CHECK: smp.run @aligned_1
// CHECK-NOT: smp.run
// CHECK: smp.stage @aligned_0{{.*}} attributes {partition = 1 : i64}
// CHECK: smp.stage @aligned_1{{.*}} attributes {partition = 0 : i64}
// CHECK-NEXT: smp.read @s
// CHECK: smp.mul
// CHECK: smp.assign @s
smp.entry @aligned(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 2 : i64} {
  %s = smp.read @s : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %y = smp.mul %x, %s {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %z = smp.exp %y {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %m = smp.abs %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %l = smp.log %m {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %n = smp.add %s, %l {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.assign @s, %n : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  smp.return %z : tensor<4xf32>
}
}

// -----

// The backward stage gets what the forward stage read: the variable has its
// next value then. A variable that the update assigns is read by both.
smp.variable @s state : tensor<4xf32> = #smp.splat<0.0>
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @kept
// CHECK: %[[F:.*]]:2 = smp.run @kept_0
// CHECK: smp.run @kept_1(%[[F]]#0,
// CHECK: smp.stage @kept_0
// CHECK-NEXT: %[[S:.*]] = smp.read @s
// CHECK: smp.return %[[S]]
// CHECK: smp.stage @kept_1(%[[OLD:[^:]*]]: tensor<4xf32>{{.*}}unit = #smp.unit<backward_input>
// CHECK-NEXT: %[[W:.*]] = smp.read @w
// CHECK-NEXT: smp.mul %[[OLD]], %[[W]]
// CHECK: smp.stage @kept_2{{.*}}unit = #smp.unit<update>
smp.entry @kept(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"},
    tensor<4xf32> {smp.name = "g"}) attributes {smp.microbatches = 2 : i64} {
  %s = smp.read @s : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %y = smp.mul %s, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.assign @s, %x : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  %p = smp.mul %s, %w {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  %g = smp.add %p, %x {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  %n = smp.exp %w {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @w, %n : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>}
  smp.return %y, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// A read that is a result is made by others for themselves all the same.
smp.variable @rate state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @returned
// CHECK: smp.run @returned_1() : () -> ()
// CHECK: smp.stage @returned_1{{.*}}unit = #smp.unit<update>
// CHECK-NEXT: smp.read @rate
// CHECK-NEXT: smp.exp
smp.entry @returned() -> (tensor<4xf32> {smp.name = "rate"}) attributes {smp.microbatches = 2 : i64} {
  %r = smp.read @rate : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %n = smp.exp %r {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @rate, %n : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>}
  smp.return %r : tensor<4xf32>
}

// -----

// A loss that depends on gradients: forward, backward, forward, backward.
// CHECK-LABEL: smp.entry @penalty
// CHECK-COUNT-4: smp.run
// CHECK: smp.return
// CHECK: smp.stage @penalty_0{{.*}} attributes {partition = 0 : i64} {
// CHECK: smp.stage @penalty_1{{.*}} unit = #smp.unit<backward_input>
// CHECK: smp.stage @penalty_2{{.*}} attributes {partition = 0 : i64} {
// CHECK: smp.stage @penalty_3{{.*}} unit = #smp.unit<backward_input>
smp.entry @penalty(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 2 : i64} {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.log %a {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  %c = smp.mul %a, %b {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %d = smp.abs %c {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  smp.return %d : tensor<4xf32>
}
