//! Issues about security rules, networks, and subnets.

use super::messages;

#[test]
fn security_rules_have_their_own_priorities() {
    let rule = |name: &str, direction: &str, priority: i64| {
        format!(r#"{{"name": "{name}", "properties": {{"direction": "{direction}", "priority": {priority}}}}}"#)
    };
    let group = |rules: &[String]| {
        format!(
            r#"{{"resources": [{{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-09-01", "name": "n",
            "properties": {{"securityRules": [{}]}}}}]}}"#,
            rules.join(", ")
        )
    };
    let right = [rule("a", "Inbound", 100), rule("b", "Outbound", 100), rule("c", "Inbound", 4096)];
    assert_eq!(messages(&group(&right)), [""; 0]);
    let wrong = [rule("a", "Inbound", 100), rule("b", "inbound", 100), rule("c", "Inbound", 99)];
    assert_eq!(
        messages(&group(&wrong)),
        ["rule `a` has the priority 100, too, in the same direction", "a priority of 99 is not between 100 and 4096"]
    );
}

#[test]
fn subnets_lie_in_their_network_and_apart() {
    let network = |space: &str, subnets: &[&str]| {
        let subnet = |prefix: &&str| format!(r#"{{"name": "s", "properties": {{"addressPrefix": "{prefix}"}}}}"#);
        let subnets: Vec<String> = subnets.iter().map(subnet).collect();
        format!(
            r#"{{"parameters": {{"p": {{"type": "string"}}}}, "resources": [{{"type": "Microsoft.Network/virtualNetworks",
            "apiVersion": "2023-09-01", "name": "n", "properties": {{"addressSpace": {{"addressPrefixes": [{space}]}},
            "subnets": [{}]}}}}]}}"#,
            subnets.join(", ")
        )
    };
    let space = r#""10.0.0.0/16", "fd00::/48""#;
    let right = ["10.0.0.0/24", "10.0.1.0/24", "fd00::/64", "[parameters('p')]"];
    assert_eq!(messages(&network(space, &right)), [""; 0]);
    assert_eq!(messages(&network(r#""[parameters('p')]""#, &["10.0.0.0/24"])), [""; 0]);
    assert_eq!(
        messages(&network(space, &["10.0.0.0/24", "10.0.0.128/25", "10.1.0.0/24"])),
        [
            "subnet `10.0.0.128/25` overlaps with subnet `10.0.0.0/24`",
            "subnet `10.1.0.0/24` is outside the address space of its virtual network",
        ]
    );
}

#[test]
fn ranges_of_addresses_and_ports_can_be_read() {
    let of = |type_name: &str, properties: &str| {
        messages(&format!(
            r#"{{"parameters": {{"p": {{"type": "string"}}}}, "resources": [{{"type": "Microsoft.Network/{type_name}",
                "apiVersion": "2023-09-01", "name": "n", "properties": {{{properties}}}}}]}}"#
        ))
    };
    let network = |space: &str, subnet: &str| {
        let subnets = format!(r#""subnets": [{{"name": "s", "properties": {{"addressPrefixes": ["{subnet}"]}}}}]"#);
        of("virtualNetworks", &format!(r#""addressSpace": {{"addressPrefixes": ["{space}"]}}, {subnets}"#))
    };
    for right in ["10.0.0.0/16", "fd00::/48", "[parameters('p')]", "${PREFIX}", "<prefix>", ""] {
        assert_eq!(network(right, ""), [""; 0], "{right}");
        assert_eq!(network("[parameters('p')]", right), [""; 0], "{right}");
    }
    assert_eq!(
        network("10.0.0.0/33", "10.300.0.0/24"),
        [
            "`10.0.0.0/33` is not a range of addresses, such as `10.0.0.0/16`",
            "`10.300.0.0/24` is not a range of addresses, such as `10.0.0.0/16`"
        ]
    );
    let host = "`10.0.0.4/24` does not begin with the first address of its range; write `10.0.0.0/24`";
    assert_eq!(network("10.0.0.0/16", "10.0.0.4/24"), [host]);

    let rule = |port: &str| {
        let rule =
            format!(r#"{{"name": "r", "properties": {{"destinationPortRange": "{port}", "sourcePortRange": "*"}}}}"#);
        of("networkSecurityGroups", &format!(r#""securityRules": [{rule}]"#))
    };
    for right in ["*", "443", "8000-8080", "0-65535", "[parameters('p')]", "${PORT}", ""] {
        assert_eq!(rule(right), [""; 0], "{right}");
    }
    for wrong in ["70000", "80,443", "http", "8080-8000", "-1", "+80", "80-+90"] {
        assert_eq!(rule(wrong), [format!("`{wrong}` is not a port, a range such as `8000-8080`, or `*`")], "{wrong}");
    }
    let list = r#""securityRules": [{"name": "r", "properties": {"sourcePortRanges": ["1-2", "99999"]}}]"#;
    assert_eq!(of("networkSecurityGroups", list), ["`99999` is not a port, a range such as `8000-8080`, or `*`"]);
}

#[test]
fn rules_and_subnets_may_be_resources() {
    let part = |parent: &str, kind: &str, name: &str, properties: &str| {
        format!(
            r#"{{"type": "Microsoft.Network/{parent}/{kind}", "apiVersion": "2023-09-01", "name": "n/{name}",
                "properties": {{{properties}}}}}"#
        )
    };
    let rule = |name: &str, properties: &str| {
        let properties = format!(r#""direction": "Inbound", {properties}"#);
        part("networkSecurityGroups", "securityRules", name, &properties)
    };
    let subnet =
        |name: &str, prefix: &str| part("virtualNetworks", "subnets", name, &format!(r#""addressPrefix": "{prefix}""#));
    let found = |resources: &[&str]| messages(&format!(r#"{{"resources": [{}]}}"#, resources.join(", ")));
    let two = [rule("a", r#""priority": 100, "destinationPortRange": "+80""#), rule("b", r#""priority": 100"#)];
    let expected = [
        "`+80` is not a port, a range such as `8000-8080`, or `*`",
        "rule `a` has the priority 100, too, in the same direction",
    ];
    assert_eq!(found(&[&two[0], &two[1]]), expected);
    let group = r#"{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-09-01", "name": "n", "properties": {
        "securityRules": [{"name": "a", "properties": {"direction": "Inbound", "priority": 200}}]}}"#;
    assert_eq!(found(&[group, &two[0], &two[1]]), expected);
    // The same rule, written twice.
    assert_eq!(found(&[group, &rule("a", r#""priority": 200"#)]), [""; 0]);
    assert_eq!(found(&[group, &rule("c", r#""priority": 200"#)]).len(), 1);

    let network = r#"{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2023-09-01", "name": "n", "properties": {
        "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
        "subnets": [{"name": "a", "properties": {"addressPrefix": "10.0.0.0/24"}}]}}"#;
    assert_eq!(found(&[network, &subnet("a", "10.0.0.0/24"), &subnet("b", "10.0.1.0/24")]), [""; 0]);
    assert_eq!(
        found(&[network, &subnet("b", "10.0.0.128/25"), &subnet("c", "10.1.0.0/24")]),
        [
            "subnet `10.0.0.128/25` overlaps with subnet `10.0.0.0/24`",
            "subnet `10.1.0.0/24` is outside the address space of its virtual network",
        ]
    );
    assert_eq!(
        found(&[&subnet("b", "10.0.0.4/24"), &subnet("c", "10.0.0.0/16")]),
        [
            "`10.0.0.4/24` does not begin with the first address of its range; write `10.0.0.0/24`",
            "subnet `10.0.0.0/16` overlaps with subnet `10.0.0.0/24`",
        ]
    );
}

#[test]
fn security_rules_have_addresses() {
    let rule = |properties: &str| {
        messages(&format!(
            r#"{{"resources": [{{"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2023-09-01", "name": "n",
                "properties": {{"securityRules": [{{"name": "r", "properties": {{"access": "Allow", "direction": "Inbound",
                "sourcePortRange": "*", "destinationPortRange": "80", "destinationAddressPrefix": "*", {properties}}}}}]}}}}]}}"#
        ))
    };
    for right in [
        r#""sourceAddressPrefix": "Internet""#,
        r#""sourceAddressPrefixes": ["10.0.0.0/8", "10.1.2.3"]"#,
        r#""sourceApplicationSecurityGroups": [{"id": "x"}]"#,
        r#""sourceAddressPrefix": null"#,
    ] {
        assert_eq!(rule(right), [""; 0], "{right}");
    }
    assert_eq!(
        rule(r#""sourceAddressPrefixes": ["10.0.0.0/40", "VirtualNetwork"]"#),
        [
            "`10.0.0.0/40` is not a range of addresses such as `10.0.0.0/16`, a service tag, or `*`",
            "`VirtualNetwork` cannot be an item of `sourceAddressPrefixes`; write it alone, in the property without `es`",
        ]
    );
    assert_eq!(
        rule(r#""priority": 100"#),
        ["the security rule has no `sourceAddressPrefix`; add it, or `sourceAddressPrefixes`"]
    );
}

#[test]
fn ranges_of_one_address_space_are_apart() {
    let network = |prefixes: &str| {
        messages(&format!(
            r#"{{"resources": [{{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2023-09-01", "name": "n",
                "properties": {{"addressSpace": {{"addressPrefixes": [{prefixes}]}}}}}}]}}"#
        ))
    };
    assert_eq!(network(r#""10.0.0.0/16", "10.1.0.0/16", "fd00::/48""#), [""; 0]);
    assert_eq!(
        network(r#""10.0.0.0/16", "10.0.8.0/24""#),
        ["`10.0.8.0/24` overlaps with `10.0.0.0/16` of the same address space; remove one of them"]
    );
}
