# Tables that have the same rows in different places, the first of them in this server alone: for matrices
# (AnswerMatrix) and laws (AnswerLaws). Their rows are a function, which gives a query for those from one
# number to another.
package ElsewhereTest;

use strict;
use warnings FATAL => 'all';

use AnswerMatrix;
use CitusTest;
use Exporter 'import';
use IdpTest;

our @EXPORT = qw(tables_by_postgres_fdw tables_of_citus stop_all);

# As a record: tables, their names; nodes, of which the first has them; super: a session; sessions: of the owner,
# keeper, and of the analyst.
sub record
{
	my ($nodes, $super, @tables) = @_;
	my %sessions = (owner => session($nodes->[0]), analyst => session($nodes->[0]));
	$_->{quiet} = 1 foreach $super, values %sessions;
	$sessions{owner}->value('SET client_min_messages = error; SET ROLE keeper');
	$sessions{analyst}->value('SET client_min_messages = error; SET ROLE analyst');
	return { nodes => $nodes, super => $super, sessions => \%sessions, tables => \@tables };
}

sub stop_all
{
	my ($record) = @_;
	$_->quit foreach $record->{super}, values %{ $record->{sessions} };
	$_->stop foreach reverse @{ $record->{nodes} };
	return;
}

my $region = "CREATE TABLE region (g int PRIMARY KEY, name text); INSERT INTO region SELECT i, 'r' || i "
  . "FROM generate_series(0, 4) i; GRANT SELECT ON region TO analyst";

# Tables of three parts, of which all lie here (alone), the first two elsewhere (spread), or the second (mixed). The
# extension is installed in one of the other servers, and postgres_fdw is told so.
sub tables_by_postgres_fdw
{
	my ($rows) = @_;
	my @far = (new_node('far_one'), new_node('far_two', 'bare'));
	$far[$_]->safe_psql('postgres', 'CREATE TABLE part (id int, ' . matrix_columns() . '); INSERT INTO part '
		  . $rows->(200 * $_ + 1, 200 * $_ + 200) =~ s/SELECT/SELECT i,/r) foreach 0, 1;
	my $near = new_node('near', "shared_preload_libraries = 'idp'", 'jit = off');
	my $super = session($near);
	$super->value('CREATE EXTENSION postgres_fdw; CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; '
		  . 'GRANT CREATE ON SCHEMA public TO keeper; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO keeper');
	foreach my $i (0, 1)
	{
		my $told = $i ? '' : ", extensions 'idp'";
		$super->value("CREATE SERVER far$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" . $far[$i]->host
			  . "', port '" . $far[$i]->port
			  . "', dbname 'postgres'$told); GRANT USAGE ON FOREIGN SERVER far$i TO keeper; "
			  . "CREATE USER MAPPING FOR keeper SERVER far$i OPTIONS (user '" . $super->value('SELECT session_user')
			  . "', password_required 'false')");
	}
	my @kinds = ([ 'alone', [] ], [ 'spread', [ 0, 1 ] ], [ 'mixed', [1] ]);
	my $record = record([ $near, @far ], $super, map { $_->[0] } @kinds);
	my $owner = $record->{sessions}{owner};
	$owner->value($region);
	foreach my $kind (@kinds)
	{
		my ($table, $parts) = @$kind;
		my %is_far = map { $_ => 1 } @$parts;
		$owner->value("CREATE TABLE $table (id int, " . matrix_columns() . ') PARTITION BY RANGE (id); GRANT SELECT ON '
			  . "$table TO analyst");
		foreach my $part (0 .. 2)
		{
			my ($first, $last) = (200 * $part + 1, $part < 2 ? 200 * $part + 200 : 555);
			my $bounds = "PARTITION OF $table FOR VALUES FROM ($first) TO (" . ($last + 1) . ')';
			$owner->value($is_far{$part}
				  ? "CREATE FOREIGN TABLE ${table}_$part $bounds SERVER far$part OPTIONS (table_name 'part')"
				  : "CREATE TABLE ${table}_$part $bounds; INSERT INTO ${table}_$part "
				  . $rows->($first, $last) =~ s/SELECT/SELECT i,/r);
		}
	}
	return $record;
}

# A table of each kind that Citus has, in a cluster of that name.
sub tables_of_citus
{
	my ($name, $rows) = @_;
	my @nodes = new_cluster($name);
	my @kinds = ([ 'alone' ], [ 'hashed', q[SELECT create_distributed_table('hashed', 'd')] ],
		[ 'metadata', q[SELECT citus_add_local_table_to_metadata('metadata')] ],
		[ 'referenced', q[SELECT create_reference_table('referenced')] ],
		[ 'single', q[SELECT create_distributed_table('single', NULL)] ]);
	my $record = record(\@nodes, session($nodes[0]), map { $_->[0] } @kinds);
	my $owner = $record->{sessions}{owner};
	$owner->value("$region; SELECT create_reference_table('region')");
	foreach my $kind (@kinds)
	{
		my ($table, $distribute) = @$kind;
		$owner->value("CREATE TABLE $table (" . matrix_columns() . "); INSERT INTO $table " . $rows->(1, 555)
			  . "; GRANT SELECT ON $table TO analyst");
		$owner->value($distribute) if defined $distribute;
	}
	return $record;
}

1;
